#!/bin/bash
# t/foreign, which tests operators that were written elsewhere, with one of
# ours.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
export TMPDIR=$T

cat >"$T/reconcile.jq" <<'END'
include "operator";
def labels: {app: "memcached", memcached_cr: .primary.metadata.name};
def desired: [deployment(.primary.metadata.name; labels; {
    replicas: .primary.spec.size,
    containers: [{name: "memcached", image: "memcached:1"}]})];
def status: {nodes: [.owned.Pod[].metadata.name] | sort};
END
cat >"$T/watches.yaml" <<'END'
- group: cache.example.com
  version: v1alpha1
  kind: Memcached
  program: reconcile.jq
  dependents:
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
  - {apiVersion: v1, kind: Pod, manage: false, map: {label: memcached_cr},
     fields: [metadata.labels]}
END
runs 0 "ten of them" t/foreign "kpipe -f $T/watches.yaml" 10
is "$(sed 's/[0-9]* ms$/N ms/' "$T/out")" "10 Memcacheds of size 2: N ms
10 Memcacheds of size 1: N ms" "... and a change of all"
runs 1 "an operator that does nothing" \
	env SECONDS_MAX=1 t/foreign "sleep 1000"
is "$(<"$T/out")" "100 Memcacheds of size 2: not there" "... is found out"
is "$(pgrep -f "$T/")" "" "nothing is left"
runs 100 "no command" t/foreign
is "$(<"$T/err")" "usage: t/foreign COMMAND [COUNT]" "... is refused"
done_testing
