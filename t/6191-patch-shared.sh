#!/bin/bash
# Fields of one object that several primaries hold, and of objects that others
# delete and create meanwhile, in a namespace and of the whole cluster: each
# primary gives back its own, and a conflict names the primary it is with.
# servers: kapi real
# check-all: long faults
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
kind_start Zone Cluster
things_watches 'finalizer: example.com/shared' 'related:' \
	'- {apiVersion: v1, kind: ConfigMap, patch: true, map: {field: spec.map}}' \
	'- {apiVersion: example.com/v1, kind: Zone, scope: Cluster, patch: true, delete: true, map: {field: [spec.zone, spec.doomed]}}'
cat >"$T/reconcile.jq" <<'END'
include "operator";
def desired: .primary.spec as $s
  | [.related.ConfigMap[], .related.Zone[]
    | if .metadata.name == $s.doomed then delete_foreign(.)
      else patch_only({apiVersion, kind, metadata: {name: .metadata.name}} * $s.fields)
      end];
def status: {error: .error, left: (.outstanding | length),
  of: (.primary.spec | .map // .zone)};
END
things_run -v

# object KIND NAME JQ
object() {
	kubectl get "$1" "$2" -o json | jq -c "$3"
}
# has KIND NAME LABEL NOTE: and as many marks as of these are not null
has() {
	[ "$(object "$1" "$2" '[.metadata.labels.team, .metadata.annotations.note]')" = "[$3,$4]" ]
}
marks() { # KIND NAME N
	[ "$(object "$1" "$2" '[.metadata.annotations // {} | keys[]
		| select(startswith("kpipe.dev/"))] | length')" = "$3" ]
}
managers() {
	object "$1" "$2" '[.metadata.managedFields[]?.manager
		| select(startswith("kpipe"))] | length'
}
error() { # THING PATTERN
	kubectl get thing "$1" -o json | jq -r '.status.error // "none"' | grep -q -- "$2"
}
sees() { # THING NAME: of the object in its spec
	[ "$(object thing "$1" .status.of)" = "$2" ]
}
labels='{"metadata":{"labels":{"team":"a"}}}'
others='{"metadata":{"labels":{"team":"b"}}}'
notes='{"metadata":{"annotations":{"note":"n"}}}'
# make KIND NAME [LABEL]
make() {
	local labels=

	[ $# -lt 3 ] || labels=",\"labels\":{\"team\":\"$3\"}"
	case $1 in
	zone) echo "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Zone\",\"metadata\":{\"name\":\"$2\"$labels},\"spec\":{}}" ;;
	*) echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"$2\",\"namespace\":\"default\"$labels}}" ;;
	esac | kubectl create -f - >/dev/null
}
drop() { # KIND NAME
	kubectl delete "$1" "$2" >/dev/null
}

for kind in configmap zone; do
	at=map
	[ $kind = configmap ] || at=zone
	make $kind x

	# ---- two primaries, different fields ----

	thing "$kind-t" "{\"$at\":\"x\",\"fields\":$labels}" >/dev/null
	thing "$kind-u" "{\"$at\":\"x\",\"fields\":$notes}" >/dev/null
	ok "$kind: two primaries hold a field each" wait_for 60 has $kind x '"a"' '"n"'
	ok "... with a mark each" wait_for 60 marks $kind x 2

	# ---- the same field ----

	thing "$kind-v" "{\"$at\":\"x\",\"fields\":$others}" >/dev/null
	ok "another value of the same field: field, object and primary are named" \
		wait_for 60 error "$kind-v" "metadata.labels.team.*held by Thing.example.com/default/$kind-t" ||
		note "$(kubectl get thing "$kind-v" -o json | jq -c .status)"
	thing "$kind-w" "{\"$at\":\"x\",\"fields\":$labels}" >/dev/null
	ok "the same value is held by two" wait_for 60 marks $kind x 3
	kubectl delete thing "$kind-t" >/dev/null
	ok "one of the two goes" wait_for 60 marks $kind x 2
	ok "... the field stays" has $kind x '"a"' '"n"'
	kubectl delete thing "$kind-w" >/dev/null
	ok "the other one goes: the one that waited has the field" \
		wait_for 60 has $kind x '"b"' '"n"'
	ok "... without an error" wait_for 60 error "$kind-v" '^none$'
	kubectl delete thing "$kind-u" >/dev/null
	ok "the other field is given back" wait_for 60 has $kind x '"b"' null

	# ---- deleted and created by others ----

	for n in 1 2 3; do
		drop $kind x
		make $kind x
		ok "another object of that name ($n) is held" \
			wait_for 60 has $kind x '"b"' null
	done
	drop $kind x
	make $kind x theirs
	ok "one in which others have the field is not taken" \
		wait_for 60 error "$kind-v" metadata.labels.team
	ok "... it is still theirs" has $kind x '"theirs"' null
	drop $kind x
	kubectl patch thing "$kind-v" --type=merge \
		-p "{\"spec\":{\"$at\":null}}" >/dev/null
	# There is no order between kinds: seen first, the object would be held.
	ok "another spec is seen" wait_for 60 sees "$kind-v" null
	make $kind x
	ok "an object of that name that is not held any more" \
		wait_for 60 error "$kind-v" '^none$'
	is "$(managers $kind x)" 0 "... is not touched"
	kubectl patch thing "$kind-v" --type=merge \
		-p "{\"spec\":{\"$at\":\"x\"}}" >/dev/null
	ok "... and one that is" wait_for 60 has $kind x '"b"' null
	drop $kind x
	kubectl delete thing "$kind-v" >/dev/null
	ok "the primary goes after the object" wait_for 60 gone thing "$kind-v"
done

# ---- held by one, deleted by another ----

make zone y
thing holds "{\"zone\":\"y\",\"fields\":$labels}" >/dev/null
ok "a Zone is held" wait_for 60 has zone y '"a"' null
thing deletes '{"doomed":"y"}' >/dev/null
ok "... and deleted for another primary" wait_for 60 gone zone y
make zone y
ok "... as often as it comes" wait_for 60 gone zone y
kubectl delete thing holds deletes >/dev/null
ok "both primaries go" wait_for 60 gone thing holds
is "$(grep -c panic "$T/err")" 0 "no tool failed"
done_testing
