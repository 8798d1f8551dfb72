#!/bin/bash
# exactly(OBJECT) as an operator: keys that others add are removed; nothing else
# is.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: reconcile.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  - {apiVersion: v1, kind: Secret, manage: true}
END
things_example exactly
cat >>"$T/reconcile.jq" <<'END'
def status: {error: .error, outstanding: (.outstanding | length)};
END
start kpipe -f "$T/watches.yaml" --health-probe-bind-address 127.0.0.1:0 \
	2>"$T/err"
thing t '{"users":{"ann":"secret1","bob":"secret2"}}' >/dev/null

data() { # KIND NAME: its keys
	kubectl get "$1" "$2" -o json |
		jq -c '[(.data, .binaryData | values | keys[])]'
}
has() { # KIND NAME KEYS
	[ "$(data "$1" "$2")" = "$3" ]
}
change() { # KIND NAME PATCH
	kubectl patch "$1" "$2" --type merge -p "$3" >/dev/null
}
ok "a Secret" wait_for 60 has secret t-users '["ann","bob"]'
ok "a ConfigMap" wait_for 60 has configmap t-names '["names"]'

change secret t-users '{"data":{"eve":"eA=="},"metadata":{"labels":{"by":"others"}}}'
ok "a key of others is removed" wait_for 60 has secret t-users '["ann","bob"]'
is "$(kubectl get secret t-users -o json | jq -c '[.data.ann, .metadata.labels.by]')" \
	'["c2VjcmV0MQ==","others"]' "... and nothing else"
change configmap t-names '{"binaryData":{"x":"eA=="},"data":{"y":"z","w":""}}'
ok "... of binaryData and data" wait_for 60 has configmap t-names '["names"]'

# Those that another one applied, whose fields are not ours.
kubectl apply --server-side --field-manager=other -f - >/dev/null <<'END'
apiVersion: v1
kind: ConfigMap
metadata: {name: t-names, namespace: default}
data: {applied: "1"}
END
ok "... and what another manager applied" \
	wait_for 60 has configmap t-names '["names"]'
kubectl patch thing t --type merge -p '{"spec":{"users":{"bob":null}}}' >/dev/null
ok "what is no longer desired goes" wait_for 60 has secret t-users '["ann"]'
is "$(grep -c error: "$T/err")" 0 "nothing failed"
is "$(grep -c secret "$T/err")" 0 "nothing of the Secret is logged"
done_testing
