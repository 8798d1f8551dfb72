#!/bin/bash
# kapi and the playground: a pod that echoes ends, and its log has the text.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

kapi_up
export KUBECONFIG=$T/kubeconfig
start kpipe -f pipeline/playground/watches.yaml 2>"$T/playground.log"
pods=/api/v1/namespaces/default/pods
ended() {
	[ "$(ask GET $pods/a | jq -r .status.phase)" = Succeeded ]
}
ask POST $pods '{"metadata":{"name":"a"},"spec":{"nodeName":"n",
	"restartPolicy":"Never","containers":[{"name":"c","image":"i",
	"command":["sh","-c","echo \"hello world\""]}]}}' >/dev/null
ok "it succeeds" comes "$(patience 20)" ended
is "$(ask GET $pods/a/log)" "hello world" "... and its log says so"
kapi_down
done_testing
