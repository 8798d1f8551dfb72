#!/bin/bash
# ireconcile: a Namespace is not deleted while an item in it is desired, retained
# or another's, nor a CustomResourceDefinition with one of its kind.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Crate
  program: program.jq
  finalizer: example.com/crate
  dependents:
  - {apiVersion: v1, kind: Namespace, manage: true}
  - {apiVersion: v1, kind: ConfigMap, manage: true, retain: true, namespaces: []}
  - {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, manage: true}
  - {apiVersion: p.example.com/v1, kind: Urn, manage: true, retain: true}
  related:
  - {apiVersion: v1, kind: Secret, namespaces: []}
- group: example.com
  version: v1
  kind: Jar
  program: program.jq
  finalizer: example.com/jar
  dependents:
  - {apiVersion: v1, kind: ServiceAccount, manage: true}
END
cat >"$T/program.jq" <<'END'
def desired: .primary.spec.items;
def status: {error};
END
ns='{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"q"}}'
cm='{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"q"}}'
crd='{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"urns.p.example.com"},"spec":{"group":"p.example.com","names":{"kind":"Urn","plural":"urns"}}}'
urn='{"apiVersion":"p.example.com/v1","kind":"Urn","metadata":{"name":"u"}}'
crate() { # ITEMS
	printf '{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"1","finalizers":["example.com/crate"]},"spec":{"items":[%s]}}\n' "$1"
}
# applied ITEMS: $made has them as the server has them then
declare -A made
applied() {
	made[$1]=$(crate "$1" | ireconcile -f "$T/watches.yaml" |
		jq -c '.items[] | .metadata.uid = "u-" + .metadata.name
			| .metadata.resourceVersion = "5"')
}
for items in "$ns" "$ns,$cm" "$crd,$urn"; do applied "$items"; done
# then ITEMS LATER: what is deleted, and the error, when ITEMS were applied
later() {
	{
		crate "$2"
		echo "${made[$1]}"
	} | ireconcile -f "$T/watches.yaml" 2>/dev/null | jq -c '
		[[.reconcile.delete[]?.kind], [.items[].kind],
		.reconcile.status.error]'
}
is "$(later "$ns,$cm" "$cm")" \
	'[[],[],"Namespace//q is not desired any more, but ConfigMap/q/c is, and would be deleted with it: desire both, or neither"]' \
	"a Namespace with an item that is desired"
is "$(later "$ns,$cm" "${cm/\"q\"/\"p\"}" | jq -c '.[0]')" \
	'["Namespace","ConfigMap"]' "... an item elsewhere does not keep it"
is "$(later "$ns,$cm" "" | jq -c '.[0]')" '["Namespace","ConfigMap"]' \
	"neither is desired: both go"
is "$(later "$ns,$cm" "$ns" | jq -c '.[0]')" '["ConfigMap"]' \
	"the Namespace alone is desired"
# others CHANGE: what is deleted, with a ConfigMap of the Crate b there, too
others() {
	{
		crate ""
		echo "${made[$ns,$cm]}"
		crate "$cm" | sed 's/"name":"a"/"name":"b"/; s/"u1"/"u2"/' |
			ireconcile -f "$T/watches.yaml" | jq -c '.items[]
			| .metadata += {uid: "u-b", resourceVersion: "6",
				name: "d"}
			| .metadata.annotations["kpipe.dev/member"] |= sub("c$"; "d")
			| '"$1"
	} | ireconcile -f "$T/watches.yaml" 2>/dev/null | jq -c '
		[[.reconcile.delete[]?.kind], .reconcile.status.error]'
}
is "$(others . | head -n 1)" \
	'[["ConfigMap"],"Namespace//q is not desired any more, but ConfigMap/q/d of another primary is in it, and would be deleted with it: desire it until that is gone"]' \
	"a Namespace with a member of another primary"
is "$(others '.metadata.deletionTimestamp = "2026-01-01T00:00:00Z"' | head -n 1 | jq -c '.[0]')" \
	'["Namespace","ConfigMap"]' "... that is on its way out"
is "$(others 'del(.metadata.labels)' | head -n 1 | jq -c '.[0]')" \
	'["Namespace","ConfigMap"]' "... an object of no primary does not keep it"
is "$(later "$crd,$urn" "$urn")" \
	'[[],[],"CustomResourceDefinition.apiextensions.k8s.io//urns.p.example.com is not desired any more, but Urn.p.example.com/ns/u is, and would be deleted with it: desire both, or neither"]' \
	"a CustomResourceDefinition with an item of its kind"
is "$(later "$crd,$urn" "" | jq -c '.[0] | sort')" \
	'["CustomResourceDefinition","Urn"]' "... goes with it"

# ---- whatever is in it ----

# beside WHAT WANT OBJECT [PRIMARY [OPTION...]]: what the Crate a deletes, and
# its error, when OBJECT is there, too
beside() {
	local primary=${4:-$(crate "")} object=$3

	is "$({
		printf '%s\n' "$primary"
		echo "${made[${its:-$ns,$cm}]}"
		printf '%s\n' "$object"
	} | ireconcile -f "$T/watches.yaml" "${@:5}" 2>"$T/err" | jq -c '
		select(.reconcile.primary.kind == "Crate")
		| [([.reconcile.delete[]?.kind] | join(" ")),
		(.reconcile.status.error // "" | sub(".*(but|and) "; ""))]')" \
		"$2" "$1"
}
# in_q KIND NAME [METADATA]: an object of v1 in the Namespace
in_q() {
	printf '{"apiVersion":"v1","kind":"%s","metadata":{"name":"%s","namespace":"q","uid":"u-%s","resourceVersion":"7"%s}}' \
		"$1" "$2" "$2" "${3:+,$3}"
}
other='"annotations":{"kpipe.dev/instance":"y"}'
of_jar='"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Jar","name":"j","uid":"u-j","controller":true}]'
end="is in it, and would be deleted with it"
stays='["ConfigMap","would be deleted with it: desire it until that is gone"]'
both='["Namespace ConfigMap",""]'
# named TEXT [WHAT]: in the log, once
named() { is "$(grep -c "$1" "$T/err")" 1 "${2:-... is named in the log}"; }

beside "an object of another instance" "$stays" \
	"$(in_q ConfigMap e "$other")"
named "ConfigMap/q/e of another instance of the operator $end"
beside "... also of a kind that is only looked at" "$stays" \
	"$(in_q Secret e "$other")"
beside "... whatever went before it did" "$stays" "$(
	in_q Secret a && echo
	in_q Secret e "$other" && echo
	in_q Secret f && echo
	for name in a f; do
		printf '{"type":"DELETED","object":%s}\n' "$(in_q Secret $name)"
	done)"
beside "... not elsewhere" "$both" \
	"$(in_q ConfigMap e "$other" | sed 's/"namespace":"q"/"namespace":"qq"/')"
beside "... for a replay it is ours, and an object of nobody" \
	"$both" "$(in_q ConfigMap e "$other")" "" \
	--clock=input
beside "a member of another entry's primary" "$stays" \
	"$(in_q ServiceAccount e "$of_jar")"
named "ServiceAccount/q/e of another primary $end"
jar='{"apiVersion":"example.com/v1","kind":"Jar","metadata":{"name":"j","namespace":"q","uid":"u-j"%s},"spec":{"items":[]}}'
# shellcheck disable=SC2059
beside "a primary with the finalizer of its entry" "$stays" \
	"$(printf "$jar" ',"finalizers":["example.com/jar"]')"
named "Jar.example.com/q/j, a primary, $end"
# shellcheck disable=SC2059
beside "... one that has nothing goes, as what users made" \
	"$both" "$(printf "$jar" "")"
retained=$(echo "${made[$ns,$cm]}" | jq -c 'select(.kind == "ConfigMap")
	| .metadata.annotations["kpipe.dev/retain"] = "true"
	| .metadata.name = "kept"
	| .metadata.annotations["kpipe.dev/member"] |= sub("c$"; "kept")')
beside "a retained member of its own" \
	'["ConfigMap","would be deleted with it: retain both, or delete that"]' \
	"$retained"
named "ConfigMap/q/kept, which is retained, $end"
foreign=$(printf '%s' "$retained" | jq -c 'del(.metadata.annotations["kpipe.dev/retain"])
	| .metadata.annotations["kpipe.dev/member"] |= sub("Crate"; "Vat")
	| .metadata.labels["kpipe.dev/part-of"] = $sum' --arg sum \
	"$(printf Vat.example.com/ns/a | sha256sum | head -c 32)")
beside "a member of an operator that is not known here" "$stays" \
	"$foreign"
for i in 3 1 2; do
	in_q ConfigMap "e$i" "$other"
	echo
done >"$T/three"
beside "of several, the first one is named" "$stays" \
	"$(<"$T/three")"
named "ConfigMap/q/e1 of" "... by its name"

# ---- whenever it would be deleted ----

going=$(crate "" | sed 's/"uid":"u1"/&,"deletionTimestamp":"2026-01-01T00:00:00Z"/')
late='"would be deleted with it: it is deleted when that is gone"'
beside "the primary is being deleted" "[\"ConfigMap\",$late]" \
	"$(in_q ConfigMap e "$other")" "$going"
its=$ns beside "... it keeps its finalizer" "[\"\",$late]" \
	"$(in_q ConfigMap e "$other")" "$going"
# gone JQ: of the line, when the Namespace has such an object
gone() {
	printf '%s\n' "$going" "${made[$ns]}" "$(in_q ConfigMap e "$other")" |
		ireconcile -f "$T/watches.yaml" 2>"$T/err" | jq -c "$1"
}
is "$(gone .reconcile.finalizers)" null "... really"
is "$(gone '.reconcile.events | map([.reason, .message])')" \
	'[["Kept","Namespace//q is to be deleted, but ConfigMap/q/e of another instance of the operator is in it, and would be deleted with it: it is deleted when that is gone"]]' \
	"... an Event says why"
beside "... with nothing of another it goes" "$both" \
	"$(in_q ConfigMap e)" "$going"

echo 'def finalize: {delete: .owned.Namespace, done: true};' >>"$T/program.jq"
its=$ns beside "finalize, which calls it done" "[\"\",$late]" \
	"$(in_q ConfigMap e "$other")" "$going"
is "$(gone .reconcile.finalizers)" null "... keeps the finalizer"
its=$ns beside "... nothing of another: it goes" '["Namespace",""]' \
	"$(in_q ConfigMap e)" "$going"

# ---- definitions ----

its=$crd,$urn
urn_of() { # [METADATA]
	printf '{"apiVersion":"p.example.com/v1","kind":"Urn","metadata":{"name":"v","namespace":"ns","uid":"u-v","resourceVersion":"8"%s}}' \
		"${1:+,$1}"
}
sed -i '/^def finalize/d' "$T/program.jq"
for what in "an object that users made:" "one of another instance:$other"; do
	beside "${what%%:*}, of the kind that a CustomResourceDefinition makes" \
		'["Urn","would be deleted with it: desire it until that is gone"]' \
		"$(urn_of "${what#*:}")"
	named "Urn.p.example.com/ns/v.* is of its kind"
done

# ---- what only claims to be another's ----

echo 0123456789abcdef0123456789abcdef >"$T/key"
its=$ns,$cm
keyed() {
	ireconcile "$@" --marks-key-fd=9 9<"$T/key"
}
# forged OBJECT [OPTION...]: what is deleted, with a key
forged() {
	{
		crate "" | jq -c '.metadata.annotations["kpipe.dev/origin"] = "u1"'
		crate "$its" | jq -c '.metadata.annotations["kpipe.dev/origin"] = "u1"' |
			keyed -f "$T/watches.yaml" |
			jq -c '.items[] | .metadata.uid = "u-" + .metadata.name
			| .metadata.resourceVersion = "5"'
		printf '%s\n' "$1"
	} | keyed -f "$T/watches.yaml" 2>"$T/err" |
		jq -c '[.reconcile.delete[]?.kind]'
}
b=$(printf '%s' "$foreign" | sed 's/Vat/Crate/; s/ns\/a /ns\/b /' | jq -c \
	'.metadata.labels["kpipe.dev/part-of"] = $sum' --arg sum \
	"$(printf Crate.example.com/ns/b | sha256sum | head -c 32)")
is "$(forged "$b")" '["Namespace","ConfigMap"]' \
	"marks of another primary without the proof: it goes"
is "$(forged "$retained")" '["Namespace","ConfigMap"]' \
	"... what says that it is retained"
is "$(forged "$(in_q ConfigMap e "$other")")" '["ConfigMap"]' \
	"another instance may have another key: it stays"

# ---- other ways to delete one ----

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Crate
  scope: Cluster
  program: program.jq
  finalizer: example.com/crate
  when: .spec.on
  dependents:
  - {apiVersion: v1, kind: Namespace, manage: true}
  - {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}
  related:
  - {apiVersion: v1, kind: Namespace, delete: true}
- group: example.com
  version: v1
  kind: Jar
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: ServiceAccount, manage: true}
END
wide() { # ON ITEMS [METADATA]
	printf '{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"a","uid":"u1","resourceVersion":"1"%s},"spec":{"on":%s,"items":[%s]}}\n' \
		"${3:+,$3}" "$1" "$2"
}
is "$(wide true "$ns" | ireconcile -f "$T/watches.yaml" |
	jq -c .reconcile.finalizers)" '{"add":["example.com/crate"]}' \
	"a Namespace with a controller reference: its primary needs the finalizer, for Kubernetes would delete it with all in it"
is "$(wide true "$cm" | ireconcile -f "$T/watches.yaml" |
	jq -c .reconcile.finalizers)" null "... another object does not"
own=$(wide true "$ns" | ireconcile -f "$T/watches.yaml" | jq -c '.items[]
	| .metadata.uid = "u-q" | .metadata.resourceVersion = "5"')
# deletes PRIMARY OBJECT...: what is deleted, and the error
deletes() {
	printf '%s\n' "$@" | ireconcile -f "$T/watches.yaml" 2>"$T/err" | jq -c '
		[.reconcile.delete[]?.kind]'
	grep -c "$end" "$T/err"
}
held='"finalizers":["example.com/crate"]'
is "$(deletes "$(wide false "" "$held")" "$own" "$(in_q ConfigMap e "$other")" | tail -n 1)" \
	1 "a primary that is not ours any more, by 'when'"
is "$(deletes "$(wide false "" "$held")" "$own")" $'["Namespace"]\n0' \
	"... with nothing of another"
foreign_ns=$(printf '{"kpipe.dev/delete-foreign":%s}' "$ns")
theirs='{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"q","uid":"u-q","resourceVersion":"3"}}'
is "$(deletes "$(wide true "$foreign_ns" "$held")" "$theirs" \
	"$(in_q ConfigMap e "$other")" | tail -n 1)" 1 \
	"delete_foreign of a Namespace with an object of another"
is "$(deletes "$(wide true "$foreign_ns" "$held")" "$theirs" \
	"$(in_q ConfigMap e)" | head -n 1)" '["Namespace"]' "... of users: it goes"

# kwatch knows ServiceAccounts, which another entry manages, only later.
stream() { # LINE...
	event ADDED "$(wide true "" "$held")" 2026-01-01T00:00:00Z
	event ADDED "$own"
	end example.com/v1 Crate
	end v1 Namespace
	end v1 ConfigMap
	printf '%s\n' "$@"
}
later=$(tick 00:20)
done=$(end v1 ServiceAccount)
streamed() { # LINE...
	{
		begin v1 ServiceAccount
		stream "$@"
	} | ireconcile -f "$T/watches.yaml" --clock=input 2>"$T/err" |
		jq -c '[.reconcile.delete[]?.kind]' | sort -u | grep -c Namespace
}
is "$(streamed)" 0 "while not all kinds are known, no Namespace is deleted"
is "$(streamed "$done" "$later")" 1 "... then it is"
is "$(streamed "$(event ADDED "$(in_q ServiceAccount e "$of_jar")")" \
	"$done" "$later")" 0 "... unless there is another's object"

# ---- objects come and go ----

come() { # TYPE:OBJECT...: what is deleted at last, of the Namespace
	{
		stream "$done"
		for one; do
			event "${one%%:*}" "${one#*:}"
		done
		echo "$later"
	} | ireconcile -f "$T/watches.yaml" --clock=input --instance=x \
		2>"$T/err" | jq -c '[.reconcile.delete[]?.kind]' |
		sort -u | grep -c Namespace
}
e=$(in_q ConfigMap e "$other")
changed=${e/\"7\"/\"9\"}
user=$(in_q ConfigMap p)
own=$(printf '%s' "$own" | jq -c '.metadata.annotations["kpipe.dev/instance"] = "x"')
stream() { # LINE...: at the start
	event ADDED "$user" 2026-01-01T00:00:00Z
	event ADDED "$e"
	event ADDED "$own"
	event DELETED "$user"
	event MODIFIED "$changed"
	event ADDED "$(wide true "" "$held")"
	end example.com/v1 Crate
	end example.com/v1 Jar
	end v1 Namespace
	end v1 ConfigMap
	printf '%s\n' "$@"
}
is "$(come)" 0 "another's object, which was changed when one beside it was gone"
is "$(come "DELETED:$changed")" 1 "... when it is gone, too, the Namespace goes"
done_testing
