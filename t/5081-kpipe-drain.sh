#!/bin/bash
# kpipe that is told to end while something fails: its stages end with 1, which
# is not an error of kpipe.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start

kubectl create namespace d >/dev/null
kubectl create configmap fails -n d >/dev/null
kubectl create configmap blocked -n d >/dev/null
kubectl create secret generic s-blocked -n d >/dev/null
cat >"$T/watches.yaml" <<'END'
- version: v1
  kind: ConfigMap
  namespaces: [d]
  program: program.jq
  manageStatus: false
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
END
cat >"$T/program.jq" <<'END'
def desired: if .primary.metadata.name == "fails" then error("no luck")
    else [{apiVersion: "v1", kind: "Secret",
        metadata: {name: "s-\(.primary.metadata.name)"}}] end;
END

for signal in INT TERM; do
	: >"$T/log"
	(exec kpipe -v -f "$T/watches.yaml" 2>"$T/log") &
	kpipe=$!
	started+=("$kpipe")
	wait_for 60 grep -q 'kpipe: ready$' "$T/log"
	wait_for 60 grep -q 'kapply: error: .*s-blocked' "$T/log"
	kill -"$signal" "$kpipe"
	wait "$kpipe"
	is "$?" 0 "SIG$signal: 0"
	is "$(grep 'kpipe: error' "$T/log")" "" "... without an error of kpipe"
	is "$(sed -n 's/.* \(kpipe: debug: [a-z]*\) (pid [0-9]*) \(ended .* 1\)$/\1 \2/p' \
		"$T/log" | sort)" "kpipe: debug: ireconcile ended with exit code 1
kpipe: debug: kapply ended with exit code 1" "... though two stages ended with 1"
done
done_testing
