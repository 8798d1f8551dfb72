#!/bin/bash
# Standard output that is full ends every tool that writes to it with 111: a
# later start may find room. The others do not care.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

kapi_up
export KUBECONFIG=$T/kubeconfig
mkdir "$T/op"
cat >"$T/op/watches.yaml" <<'END'
- version: v1
  kind: ConfigMap
  namespaces: [default]
  program: reconcile.jq
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
END
cat >"$T/op/reconcile.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "Secret",
    metadata: {name: .primary.metadata.name}}];
END
config_map a | jq -c '.metadata.namespace = "default"' >"$T/object"
runs 0 "an object" kapply -o result <"$T/object"
ask GET /api/v1/namespaces/default/configmaps/a >"$T/a"
echo '{"apiVersion":"v1","kind":"List","items":[],"reconcile":{"primary":{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"a","uid":"u"},"status":{"n":1},"manager":"t"}}' >"$T/set"

# full CODE WHAT FILE COMMAND...: FILE is standard input
full() {
	local code=$1 what=$2 in=$3

	shift 3
	# shellcheck disable=SC2016 # for the inner shell
	runs "$code" "$what" timeout 300 bash -c \
		'in=$1; shift; exec "$@" <"$in" >/dev/full' - "$in" "$@"
}
says() {
	is "$(<"$T/err")" "$1" "... message"
}
nospace="cannot write standard output: No space left on device"
full 111 "kwatch" /dev/null kwatch --once configmaps
says "kwatch: fatal: $nospace"
full 111 "ireconcile" "$T/a" ireconcile -f "$T/op/watches.yaml"
says "ireconcile: error: $nospace"
full 111 "kapply, results" "$T/object" kapply -o result
says "kapply: fatal: $nospace"
full 111 "kapply, a status" "$T/set" kapply -o status
says "kapply: fatal: $nospace"
full 111 "kpipe, a dry run" /dev/null kpipe -f "$T/op/watches.yaml" --dry-run
ok "... names the stage" grep -q '^kpipe: error: kapply (pid [0-9]*) ended with exit code 111$' "$T/err"
echo '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default","uid":"u"},"status":{}}' \
	>"$T/status"
full 0 "kstatus prints nothing" "$T/status" kstatus
full 111 "kstatus, results" "$T/status" kstatus -o result
says "kstatus: fatal: $nospace"
full 0 "kelect prints nothing" /dev/null kelect --lease x -n default -- true
kapi_down
done_testing
