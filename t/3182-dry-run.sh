#!/bin/bash
# A dry run says what the run would: of plain objects the same results, of a set
# also the finalizers and the status of the primary.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
things_start

# both WHAT WANT: results of a dry run, and of the run after it, on $T/in
both() {
	for how in --dry-run=server --dry-run=none; do
		runs 0 "$1: $how" kapply -o result --force-conflicts "$how" <"$T/in"
		is "$(jq -r '"\(.metadata.name) \(.result)"' "$T/out" |
			grep -v '^kube-root' | sort)" "$2" "... results"
	done
}

# --- plain objects
kubectl create configmap a --from-literal=k=1 >/dev/null
kubectl create configmap b --from-literal=k=1 >/dev/null
kubectl get cm a -o json >"$T/in"
both "an object of kubectl, whose fields change hands" "a configured"
both "... once more" "a unchanged"
cm a 2 | jq '.[]' >"$T/in"
cm c 2 | jq '.[]' >>"$T/in"
both "a change, and a new object" "a configured
c created"
both "... once more" "a unchanged
c unchanged"
kubectl get cm a b c -o json >"$T/in"
both "a list" "a unchanged
b configured
c unchanged"

# --- a set
thing t >/dev/null
dry() {
	kapply_line --dry-run=server "$@"
}
of='"primary":"Thing.example.com/default/t"'
line() {
	echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"default","name":"t"},"result":"configured",'"$1,$of}"
}
before=$(kubectl get thing t -o json)
set_line "$(cm s 1)" '{"finalizers":{"add":["example.com/f"]},"status":{"phase":"Ready"}}' >"$T/in"
runs 0 "a dry run of a set" dry -o result
is "$(<"$T/out")" "$(line '"finalizers":{"add":["example.com/f"]}')
{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"default\",\"name\":\"s\"},\"result\":\"created\",$of}
$(line '"status":{"phase":"Ready"}')" "... finalizer, item, status"
is "$(kubectl get thing t -o json)" "$before" "... and has changed nothing"
runs 0 "the run" kapply_line -o result
is "$(<"$T/out")" "$(line '"finalizers":{"add":["example.com/f"]}')
{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"default\",\"name\":\"s\"},\"result\":\"created\",$of}" \
	"... says the same, but the status is for kstatus"
set_line "$(cm s 1)" '{"known":{"ConfigMap/default/s":"'"$(uid cm s)"'"},
	"because":{"items":{"ConfigMap/default/s":{"differs":[{"path":".data.x"}]}}}}' >"$T/in"
runs 0 "a member that the apply leaves as it is" dry -o result
is "$(jq -r .result "$T/out")" unchanged "... is unchanged"
set_line "$(cm s 2)" '{"known":{"ConfigMap/default/s":"'"$(uid cm s)"'"},
	"because":{"items":{"ConfigMap/default/s":{"differs":[{"path":".data.k"}]}}}}' >"$T/in"
runs 0 "a member that is changed" dry -o result
is "$(jq -r .result "$T/out")" configured "... is configured"
kubectl patch cm s --field-manager=editor --type=merge -p '{"data":{"k":"2"}}' >/dev/null
set_line "$(cm s 3)" '{"known":{"ConfigMap/default/s":"'"$(uid cm s)"'"},
	"because":{"items":{"ConfigMap/default/s":{"differs":[{"path":".data.k"}]}}}}' >"$T/in"
for how in dry kapply_line; do
	runs 0 "a change of what another manager has written: $how" $how -o result
	is "$(jq -r .because "$T/out")" ".data.k differs; set by editor" \
		"... is not a repair"
done
set_line "$(cm s 3)" '{"known":{"ConfigMap/default/s":null}}' >"$T/in"
for how in dry kapply_line; do
	runs 0 "a member that ireconcile has not seen: $how" $how -o result
	is "$(jq -r .result "$T/out")" unchanged "... is unchanged"
done
set_line "[]" '{"finalizers":{"add":["example.com/f"]}}' >"$T/in"
runs 0 "a finalizer that is there" dry -o result
is "$(<"$T/out")" "" "... is not a change"
set_line "[]" '{"finalizers":{"remove":["example.com/f"]}}' >"$T/in"
runs 0 "a finalizer that goes" dry -o result
is "$(<"$T/out")" "$(line '"finalizers":{"remove":["example.com/f"]}')" "... is one"
set_line "$(cm a 1)" '{"status":{"phase":"Ready"},"onError":{"phase":"Failed","why":"${error}"}}' >"$T/in"
runs 1 "an item that fails" dry -o result
is "$(jq -c 'select(.kind == "Thing") | .status.phase' "$T/out")" '"Failed"' \
	"... and the status that says so"
runs 1 "... with --output=status" dry -o status
is "$(<"$T/out")" "" "... nothing goes to kstatus"
done_testing
