#!/bin/bash
# kpipe gives each tool its own credential, and no other.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
BESIDE="kelect kpipe-http"
# shellcheck source=kpipe.sh
. "${0%/*}/kpipe.sh"

# told TOOL: the server and the credential that it is given
told() {
	grep -E -e '^--(kubeconfig|context|server|token-file|certificate-authority)=' \
		"$D/$1.args" | paste -sd ' '
}
# run [OPTION]...: all tools, which write down what they are given, and end
run() {
	fresh
	touch "$D/kelect.lead"
	up --leader-elect --metrics-bind-address=:8443 --metrics-secure "$@"
	wait_for 10 test -s "$D/kpipe-http.args"
	kill "$kpipe"
	wait "$kpipe"
}

run --server=https://s --certificate-authority=ca --kubeconfig=all \
	--context=c --token-file=t
for tool in kwatch kapply kstatus kelect kpipe-http; do
	is "$(told $tool)" "--kubeconfig=all --context=c --server=https://s --token-file=t --certificate-authority=ca" \
		"one for all: $tool"
done
is "$(told ireconcile)" "" "... but for ireconcile"

run --server=https://s --certificate-authority=ca --token-file=rest \
	--kwatch-token-file=1 --kapply-token-file=2 --kelect-token-file=3 \
	--http-token-file=4
for tool in kwatch:1 kapply:2 kstatus:rest kelect:3 kpipe-http:4; do
	is "$(told "${tool%:*}")" "--server=https://s --token-file=${tool#*:} --certificate-authority=ca" \
		"a token each: $tool"
done
is "$(told ireconcile)" "" "... none for ireconcile"

run --kubeconfig=all --context=c --token-file=t --kwatch-kubeconfig=1 \
	--kapply-kubeconfig=2 --kapply-token-file=3 --kstatus-kubeconfig=4 \
	--kelect-kubeconfig=5 --http-kubeconfig=6 --kstatus-token-file=7
is "$(for tool in kwatch kapply kstatus kelect kpipe-http; do
	told $tool
done)" "--kubeconfig=1
--kubeconfig=2 --token-file=3
--kubeconfig=4 --token-file=7
--kubeconfig=5
--kubeconfig=6" "a kubeconfig each: nothing of the common one"

# --- the current context is that of the start
for name in common own; do
	cat >"$T/$name" <<E
apiVersion: v1
kind: Config
current-context: $name
contexts: [{name: $name, context: {cluster: $name}}]
clusters: [{name: $name, cluster: {server: "https://$name"}}]
E
done
fresh
export KUBECONFIG=$T/common
up --kstatus-kubeconfig="$T/own"
is "$(told kwatch) $(told kapply) $(told kstatus)" \
	"--context=common --context=common --kubeconfig=$T/own --context=own" \
	"the context that is current at the start is named"
sed -i 's/^current-context.*/current-context: other/' "$T/common"
rm "$D/kapply.args"
kill -9 "$(pid_of kapply)"
wait_for 30 test -s "$D/kapply.args"
is "$(told kapply)" "--context=common" "... also when stages start again"
kill "$kpipe"
wait "$kpipe"
unset KUBECONFIG

# --- a credential for a tool that would not use it
refuses "option --kelect-token-file needs --leader-elect" kpipe -f \
	"$T/watches.yaml" --kelect-token-file=x
refuses \
	"option --http-kubeconfig needs --metrics-secure, or a --view-bind-address that is not this machine's alone" \
	kpipe -f "$T/watches.yaml" --metrics-bind-address=:0 \
	--view-bind-address=127.0.0.1:0 --http-kubeconfig=x

done_testing
