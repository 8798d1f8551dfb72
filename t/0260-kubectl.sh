#!/bin/bash
# kubectl of t/helpers: the commands of t/cases/0260/session print what stands
# there, and cost few requests. That the real one is content with kapi shows
# 9910-kubectl.sh.
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/kapi.sh
. "${0%/*}/kapi.sh"

own_kubectl
kapi_up --journal "$T/journal"
export KUBECONFIG=$T/kubeconfig
mkdir "$T/refused"

# play FILE: its commands, each with what it prints now: "! " is before what is
# on standard error, "= " before an exit code that is not 0. What is not here is
# not told to this test.
play() {
	local line code text

	while IFS= read -r line; do
		[[ $line == '$ '* ]] || continue
		printf '%s\n' "$line"
		code=0
		(T=$T/refused && cd t/cases/0260 && eval "${line#??}") \
			</dev/null >"$T/out" 2>"$T/err" || code=$?
		while IFS= read -r text || [ -n "$text" ]; do
			[[ $text =~ ' '[0-9]+m?[0-9]*s$ ]] &&
				text="${text%"${BASH_REMATCH[0]}"} AGE"
			printf '%s\n' "$text"
		done <"$T/out"
		while IFS= read -r text || [ -n "$text" ]; do
			printf '! %s\n' "$text"
		done <"$T/err"
		[ "$code" -eq 0 ] || echo "= $code"
	done <"$1"
}

session=t/cases/0260/session
play "$session" >"$T/session"
same "$T/session" "$session" "kubectl says what it should say"
is "$(sed -n 's/.*: not here: //p' "$T/refused/.flaws" | head -n 2)" \
	"-o yaml
-o wide" "what is not here makes a test fail"

# Of an object of the core group it reads the kinds of that group only.
requests() {
	local before

	before=$(wc -l <"$T/journal")
	"$@" >"$T/out"
	tail -n "+$((before + 1))" "$T/journal" | jq -r .path | xargs
}
is "$(requests kubectl get ns default -o name)" \
	"/api /api/v1/namespaces/default" "two requests for a Namespace"
is "$(requests kubectl get deploy -n x -o name)" \
	"/api /apis /apis/apps/v1/namespaces/x/deployments" \
	"... three for Deployments"
sed '/server:/s/:[0-9][0-9]*/:1/' "$KUBECONFIG" >"$T/nowhere"
runs 1 "no server" kubectl --kubeconfig "$T/nowhere" get ns
ok "... says so" grep -q '^Unable to connect to the server: ' "$T/err"
unset KUBECONFIG
runs 1 "no kubeconfig" env HOME="$T" kubectl get ns
is "$(<"$T/err")" "error: set KUBECONFIG" "... is not looked for"
runs 1 "a test without the helper" \
	bash -c '. t/lib.sh; ROOT=$T; own_kubectl' t/none.sh
is "$(<"$T/out")" "not ok 1 - build/t/bin/kubectl is not there: make unit-tests
1..1" "... says what to do"
done_testing
