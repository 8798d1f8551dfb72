#!/bin/bash
# The prune brake in a whole operator: an input that goes wrong, and is mended.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
things_watches
cat >"$T/reconcile.jq" <<'X'
def desired: .primary as $p | [range($p.spec.n) | {apiVersion: "v1",
	kind: "ConfigMap", metadata: {name: "\($p.metadata.name)-\(.)"}}];
def status: {n: (.owned.ConfigMap | length), error: .error};
X
for n in a b c d f g; do
	kubectl create -f - >/dev/null <<X
{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"$n","namespace":"default"},"spec":{"n":2}}
X
done
start kpipe -f "$T/watches.yaml" --prune-limit 5 \
	--health-probe-bind-address 127.0.0.1:0 2>"$T/err"
operator=$!

config_maps() {
	kubectl get cm -o name | grep -c '/[a-dfg]-[0-9]$'
}
are() {
	[ "$(config_maps)" = "$1" ]
}
probes=
find_probes() {
	probes=$(sed -n 's/.*probes.* at //p' "$T/err")
	[ -n "$probes" ]
}
# ready CODE: of kapply's readiness check
ready() {
	[ "$(curl -s --max-time 5 -o "$T/ready" -w '%{http_code}' \
		"http://$probes/readyz/kapply")" = "$1" ]
}
set_n() { # N NAME...
	local n=$1 name

	shift
	for name; do
		kubectl patch thing "$name" --type=merge \
			-p "{\"spec\":{\"n\":$n}}" >/dev/null
	done
}
ok "twelve ConfigMaps" wait_for 20 are 12
wait_for 10 find_probes
ok "... ready" wait_for 10 ready 200

# One primary with too many deletions: only it is held back.
kubectl create -f - >/dev/null <<'X'
{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"p","namespace":"default"},"spec":{"n":9}}
X
kubectl create -f - >/dev/null <<'X'
{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"q","namespace":"default"},"spec":{"n":1}}
X
has() { # NAME N
	[ "$(kubectl get cm -o name | grep -c "/$1-[0-9]\$")" = "$2" ]
}
ok "nine of one primary" wait_for 20 has p 9
ok "... and one of another" wait_for 20 has q 1
set_n 0 p
braked() {
	kubectl get events -o json | jq -e --arg name "$1" '[.items[]
		| select(.reason == "PruneBrake" and .involvedObject.name == $name)]
		| length > 0'
}
ok "all to be deleted at once: an Event names it" wait_for 20 braked p
# The Event may come before the last of these deletions.
ok "... five are gone" wait_for 20 has p 4
set_n 0 q
ok "another primary prunes" wait_for 20 has q 0
ok "... the rest of the first stays" has p 4
ok "... the operator is ready" ready 200
set_n 9 p
ok "mended: all are there again" wait_for 20 has p 9

set_n 0 a b c d f g
ok "all to be deleted at once: not ready" wait_for 20 ready 500
is "$(cat "$T/ready")" "internal server error: prune: too many deletions within a minute: the rest is held back" \
	"... and why"
wait_for 10 are 8
is "$(config_maps)" 8 "five are gone with the one before, the others stay"
kubectl create -f - >/dev/null <<'X'
{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"e","namespace":"default"},"spec":{"n":2}}
X
made() {
	kubectl get cm e-0 e-1
}
ok "others go on" wait_for 20 made
says_why() {
	kubectl get things -o json | jq -e '[.items[] | select(.status.error // "" |
		test("held back: more than 5 deletions"))] | length > 0'
}
ok "the program has it as .error" wait_for 20 says_why
told() {
	kubectl get events -o json | jq -e '[.items[]
		| select(.reason == "PruneBrake" and .type == "Warning")
		| .involvedObject.name] | unique | length > 0'
}
ok "an Event says it" wait_for 10 told
# A primary that is deleted takes its members along, which is not a prune.
held=$(kubectl get cm -o name | sed -n 's,.*/\([a-dfg]\)-.$,\1,p' | tail -n 1)
kubectl delete thing "$held" >/dev/null
deleted() {
	! kubectl get cm -o name | grep -q "/$held-"
}
ok "a primary that is deleted takes along what it has" wait_for 20 deleted

rest=$(echo a b c d f g | tr -d "$held")
# shellcheck disable=SC2086
set_n 2 $rest
ok "mended: all are there again" wait_for 30 are 10
ok "... and it is ready again" wait_for 20 ready 200
kill "$operator"
wait "$operator"
is "$?" 0 "it ends well"
done_testing
