#!/bin/bash
# kpipe --shadow of programs with `random`: they are compared, although the
# shadow has no key; and what cannot be compared is said.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
mkdir "$T/new"
cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: reconcile.jq
  random: true
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
  - {apiVersion: v1, kind: ConfigMap, manage: true}
END
cat >"$T/reconcile.jq" <<'END'
include "operator";
def desired: if .primary.spec.bad then error("bad spec") else
  [config_map("c"; {}; {v: "old"}), {apiVersion: "v1", kind: "Secret",
    metadata: {name: "pw"}, data: {p: (random("p"; 20) | @base64)}}] end;
def status: {error};
END
cp "$T/watches.yaml" "$T/new"
sed 's/"old"/"new"/' "$T/reconcile.jq" >"$T/new/reconcile.jq"

metric() { # NAME VALUE
	curl -sf -m 10 "http://$metrics/metrics" |
		grep -qxF "$1{controller=\"thing.example.com\"} $2"
}
has_event() { # REASON TEXT
	kubectl get events -o json | jq -e --arg r "$1" --arg t "$2" \
		'any(.items[]; .reason == $r and (.message | contains($t)))' \
		>/dev/null
}
logged() {
	grep -q -e "$1" "$T/err"
}

thing t '{"version":1}' >/dev/null
start kpipe -f "$T/watches.yaml" --shadow "$T/new/watches.yaml" \
	--metrics-bind-address=127.0.0.1:0 2>"$T/err"
ok "the operator has metrics" wait_for 60 logged '^kpipe-http: metrics at'
metrics=$(sed -nE "s/^kpipe-http: .*metrics at ([0-9.:]+).*/\1/p" "$T/err")
ok "what differs is a metric" \
	wait_for 60 metric kpipe_shadow_differences 1
ok "... nothing fails" metric kpipe_shadow_failures 0
ok "... and logged" wait_for 60 logged 'shadow: .*ConfigMap default/c'
ok "... and an Event" wait_for 60 has_event ShadowDiffers 'ConfigMap default/c'
is "$(grep -c 'shadow: .*Secret' "$T/err")" 0 "the password agrees"

kubectl patch thing t --type=merge -p '{"spec":{"bad":true}}' >/dev/null
ok "what fails with both is a metric" \
	wait_for 60 metric kpipe_shadow_failures 1
ok "... is not said to agree" metric kpipe_shadow_differences 0
ok "... is logged" wait_for 60 logged \
	'shadow: .*failure of both programs, not compared: bad spec'
ok "... and an Event" wait_for 60 has_event ShadowFails \
	'both programs fail: bad spec'
done_testing
