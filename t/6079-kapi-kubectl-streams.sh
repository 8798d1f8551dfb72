#!/bin/bash
# kubectl logs, exec, attach and port-forward on Pods of the playground: over
# WebSockets, and over SPDY, as older clients and client-go have it.
# servers: kapi
# check-all: the real kubectl needs Go
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
kapi_kubectl
export KUBECONFIG
start kpipe -f pipeline/playground/watches.yaml 2>"$T/playground.log"
cat >"$T/pods.yaml" <<'END'
apiVersion: v1
kind: Pod
metadata:
  name: db
  annotations:
    playground.kpipe.dev/logs: |
      2026-11-26T10:00:00Z starting
      ready
    playground.kpipe.dev/logs.side: sidecar
    playground.kpipe.dev/exec: |
      - {command: [sh, -c, "*"], stdout: "out\n", stderr: "err\n", exitCode: 7}
      - {command: [cat], echo: true}
    playground.kpipe.dev/attach: '{stdout: "attached\n"}'
    playground.kpipe.dev/ports: |
      {80: {greeting: "hi ", echo: true}}
spec:
  containers: [{name: main, image: x}, {name: side, image: x}]
---
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec:
  containers: [{name: a, image: x}]
END
kubectl create -f "$T/pods.yaml" >/dev/null
kubectl wait --timeout=240s --for=condition=Ready pod/db pod/plain >/dev/null

# k WANT-CODE WANT-STDOUT WANT-STDERR WHAT ARGUMENT...
k() {
	timeout 60 kubectl "${@:5}" >"$T/out" 2>"$T/err" </dev/null
	is "$? $(<"$T/out")" "$1 $2" "$4"
	is "$(sed -E 's/start exec "[0-9a-f]+"/start exec "ID"/' "$T/err")" "$3" \
		"... what it says"
}
k 0 $'starting\nready' 'Defaulted container "main" out of: main, side' \
	"logs" logs db
k 0 sidecar "" "... of a container" logs db -c side
is "$(timeout 60 kubectl logs db --all-containers --prefix | sort)" \
	$'[pod/db/main] ready\n[pod/db/main] starting\n[pod/db/side] sidecar' \
	"... of all"
k 0 "2026-11-26T10:00:00Z ready" "" "... with times" \
	logs db -c main --timestamps --tail=1
k 0 "" "" "a Pod without annotations" logs plain
k 1 "" 'Error from server (BadRequest): previous terminated container "a" in pod "plain" not found' \
	"... ran never before" logs plain -p
k 1 "" "error: container x is not valid for pod db out of: main, side" \
	"no such container" logs db -c x

for over in WebSockets SPDY; do
	export KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true
	twice="Internal error occurred: "
	[ "$over" = WebSockets ] || {
		export KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false
		twice=
	}
	k 7 out $'err\ncommand terminated with exit code 7' "exec by $over" \
		exec db -c main -- sh -c x
	k 1 "" "error: Internal error occurred: ${twice}error executing command in container: failed to exec in container: failed to start exec \"ID\": OCI runtime exec failed: exec failed: unable to start container process: exec: \"id\": executable file not found in \$PATH: unknown" \
		"... of what is not there" exec plain -- id
	is "$(seq 50000 | timeout 60 kubectl exec -i db -c main -- cat 2>&1 |
		md5sum)" "$(seq 50000 | md5sum)" "... of a command that reads"
	is "$(timeout 60 kubectl attach db -c main 2>/dev/null)" attached \
		"attach by $over"
done

# forwarded PORT: what is heard at a local port after a few words
forwarded() {
	exec 8<>"/dev/tcp/127.0.0.1/$1" || return
	printf 'there\n' >&8
	head -n 1 <&8 2>/dev/null
	exec 8>&-
}
for over in true false; do
	export KUBECTL_PORT_FORWARD_WEBSOCKETS=$over
	: >"$T/forward"
	start kubectl port-forward pod/db :80 :81 >"$T/forward" 2>&1
	forward=$!
	is_open() {
		[ "$(grep -c '127.0.0.1' "$T/forward")" = 2 ]
	}
	wait_for 30 is_open
	port=$(sed -n 's/.*127.0.0.1:\([0-9]*\) -> 80$/\1/p' "$T/forward")
	is "$(forwarded "$port") $(forwarded "$port")" "hi there hi there" \
		"two connections to a port (WebSockets: $over)"
	port=$(sed -n 's/.*127.0.0.1:\([0-9]*\) -> 81$/\1/p' "$T/forward")
	is "$(forwarded "$port")" "" "... on another nothing listens"
	is_refused() {
		grep -q 'error forwarding port 81 .* connection refused' \
			"$T/forward"
	}
	ok "... which is said" wait_for 20 is_refused
	kill "$forward" 2>/dev/null
	wait "$forward" 2>/dev/null
done

# The official client of Python.
python=$(t/clients/python/build 2>"$T/build.err") || {
	note "no client of Python: $(tail -n 1 "$T/build.err")"
	done_testing
	exit
}
cat >"$T/client.py" <<'END'
import sys
from kubernetes import client, config
from kubernetes.stream import portforward, stream

config.load_kube_config()
api = client.CoreV1Api()
print(repr(api.read_namespaced_pod_log("db", "default", container="main",
                                       tail_lines=1)))
one = ("db", "default")
s = stream(api.connect_get_namespaced_pod_exec, *one, container="main",
           command=["sh", "-c", "x"], stdout=True, stderr=True,
           _preload_content=False)
s.run_forever(timeout=30)
print(repr(s.read_stdout()), repr(s.read_stderr()), s.returncode)
s = stream(api.connect_get_namespaced_pod_exec, *one, container="main",
           command=["cat"], stdin=True, stdout=True, _preload_content=False)
s.write_stdin("typed\n")
print(repr(s.readline_stdout(timeout=30)))
s.close()
f = portforward(api.connect_get_namespaced_pod_portforward, *one, ports="80")
sock = f.socket(80)
sock.settimeout(30)
sock.sendall(b"there")
got = b""
while len(got) < 8:
    got += sock.recv(100)
print(got)
END
is "$(timeout 120 "$python" "$T/client.py" 2>&1)" "'ready\\n'
'out\\n' 'err\\n' 7
'typed'
b'hi there'" "the client of Python: log, exec, port-forward"
done_testing
