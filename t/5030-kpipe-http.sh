#!/bin/bash
# kpipe and its kpipe-http: what kpipe tells it, and that a bad kpipe-http never
# harms the pipeline; with stages that do nothing. With the real one: 5300.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
BESIDE="kelect kpipe-http"
# shellcheck source=kpipe.sh
. "${0%/*}/kpipe.sh"

# state: the newest state line, in short: PHASE, then what is wrong
state() {
	tail -n +"${FROM:-1}" "$D/state" | grep '"phase"' | tail -n 1 |
		jq -r '.phase, (.stages | to_entries[] |
			"\(.key) \(.value | "\(.running) \(.ready) \(.starts)")")'
}

is_state() {
	[ "$(state)" = "$1" ]
}

# all STARTS: the state of four stages that run
all() {
	printf 'running'
	# shellcheck disable=SC2086
	printf "\\n%s true true $1" $STAGES
}

# told TEXT: a line that kpipe-http got
told() {
	tail -n +"${FROM:-1}" "$D/state" | grep -qxF -- "$1"
}

# both_run: the pipeline, and kpipe-http, which it does not wait for
both_run() {
	wait_for 30 ready
	wait_for 30 starts_of kpipe-http 1
}

fresh
export KUBECONFIG=/secret
begin --health-probe-bind-address=:8081 --metrics-bind-address=127.0.0.1:0 \
	--kubeconfig=/k
both_run
is "$(<"$D/kpipe-http.args")" "--report-fd=3
--log-level=info
--log-format=text
--sandbox=auto
--health-probe-bind-address=:8081
--metrics-bind-address=127.0.0.1:0" "arguments: nothing about the API"
is "$(fds kpipe-http)" "0 1 2 3" "descriptors of kpipe-http"
is "$(variables 'KUBECONFIG.*' kpipe-http)" "" "... nor its environment"
ok "it hears that all run" wait_for 10 is_state "$(all 1)"
ok "... nothing of leaders" sh -c "! grep -q leader $D/state"
drains() {
	[ "$(grep '"phase"' "$D/state" | tail -n 1 | jq -r .phase)" = draining ]
}
# It is ended with the last stage, whatever it has not read yet.
freeze "$(pid_of kstatus)"
kill -TERM "$kpipe"
ok "SIGTERM: it hears of that" wait_for 10 drains
kill -CONT "$(pid_of kstatus)"
ends 0 "... 0"
ok "... no stage is left" none_left

fresh
begin --metrics-bind-address=:8443 --metrics-secure --metrics-cert-path=/c \
	--health-probe-bind-address=0 --kubeconfig=/k
both_run
is "$(sed 1,4d "$D/kpipe-http.args")" "--metrics-bind-address=:8443
--metrics-secure
--metrics-cert-path=/c
--kubeconfig=/k" "arguments with --metrics-secure"
is "$(variables KUBECONFIG kpipe-http)" KUBECONFIG=/secret \
	"... and the environment"
unset KUBECONFIG
stops

fresh
begin --metrics-bind-address=0 --metrics-secure --kubeconfig=/k \
	--health-probe-bind-address=:8081
both_run
is "$(sed 1,4d "$D/kpipe-http.args")" "--health-probe-bind-address=:8081" \
	"arguments without metrics"
stops

fresh
touch "$D/kelect.lead"
up --leader-elect --metrics-bind-address=:0
leads() {
	grep '"phase"' "$D/state" | tail -n 1 | jq -e '.leader and .stages.kelect.ready' >/dev/null
}
ok "it hears who leads" wait_for 10 leads
stops

### Reports

fresh
cat >"$D/kapply.report" <<'END'
{"tool":"kapply","counters":{"applied":1}}
{"tool":"kapply","counters":{"applied":2}}
{"tool":"kapply","metrics":{"a{x=\"1\"}":1,"b":1}}
{"tool":"kapply","metrics":{"b":2}}
not JSON
{"tool":"kapply","other":1}
END
printf '{"tool":"kapply","metrics":{"%04400d":1}}\n' 0 >>"$D/kapply.report"
echo '{"tool":"kwatch","unready":{"Secret":"forbidden"}}' >"$D/kwatch.report"
touch "$D/kpipe-http.slow"
up --metrics-bind-address=:0
rm "$D/kpipe-http.slow"
ok "reports arrive" wait_for 10 told \
	'{"tool":"kapply","counters":{"applied":2}}'
ok "... the reasons too" wait_for 10 told "$(<"$D/kwatch.report")"
is_samples() {
	[ "$(samples)" = '{"a{x=\"1\"}":1,"b":2}' ]
}
samples() {
	tail -n +"${FROM:-1}" "$D/state" | jq -sSc '[.[] | select(.tool ==
		"kapply") | .metrics // {}] | add'
}
ok "... and the newest of each sample" wait_for 10 \
	is_samples
ok "a line that is not a report is left out" sh -c "! grep -q -e other -e JSON $D/state"

FROM=$(($(wc -l <"$D/state") + 1))
kill -9 "$(pid_of kpipe-http)"
ok "a kpipe-http that died is started again, told all" wait_for 10 is_state \
	"$(all 1)"
ok "... the counters" wait_for 10 told \
	'{"tool":"kapply","counters":{"applied":2}}'
ok "... the reasons" wait_for 10 told "$(<"$D/kwatch.report")"
ok "... the samples" wait_for 10 \
	is_samples
is "$(said)" "kpipe: ready
kpipe: error: kpipe-http (pid N) was killed by SIGKILL
kpipe: warning: starting kpipe-http again in N s" "... says so"
is "$(grep -c start "$D/log")" 6 "... the pipeline went on"

rm "$D/kapply.report" "$D/kwatch.report"
FROM=$(($(wc -l <"$D/state") + 1))
kill -9 "$(pid_of kapply)"
kill -9 "$(pid_of kpipe-http)"
ok "both die: both are started again" wait_for 20 is_state "$(all 2)"
ok "... what the old stages said is forgotten" sh -c \
	"! tail -n +$FROM $D/state | grep -q -e applied -e Secret -e metrics"

echo 100 >"$D/kpipe-http.exit"
kill -9 "$(pid_of kpipe-http)"
ok "100 from one that was ready before: tried again" \
	wait_for 20 logged 'kpipe-http (pid [0-9]*) ended with exit code 100'
ok "... later" wait_for 20 logged 'starting kpipe-http again in [1-9]'
stops "SIGTERM while it waits for that: 0"
ok "... no stage is left" none_left

unset FROM

### A kpipe-http that does not read

fresh
touch "$D/kpipe-http.slow"
for ((i = 0; i < 300; i++)); do
	printf '{"tool":"kwatch","metrics":{"m%d%01000d":1}}\n' $i 0
done >"$D/kwatch.report"
begin --metrics-bind-address=:0
ok "much for one that does not read: the pipeline is ready" wait_for 30 ready
kill -9 "$(pid_of kstatus)"
ok "... it is started again" wait_for 30 starts 2
wait_for 30 eval "[ \"\$(grep -c ready '$D/stderr')\" = 2 ]"
rm "$D/kpipe-http.slow"
ok "... in the end it hears the last state" wait_for 10 is_state "$(all 2)"
ok "... and all samples" wait_for 10 eval \
	'[ "$(jq -s "[.[].metrics // {}] | add | length" "$D/state")" = 300 ]'
is "$(awk 'length > 4095' "$D/state" | wc -l)" 0 "... in lines of bounded length"
touch "$D/kpipe-http.slow"
stops

fresh
touch "$D/kpipe-http.slow" "$D/kpipe-http.deaf"
up --metrics-bind-address=:0
wait_for 30 grep -q kpipe-http "$D/log"
stops "a kpipe-http that does not end is not waited for: 0"
ok "... no stage is left" none_left

### What kpipe refuses

fresh
echo 100 >"$D/kpipe-http.exit"
begin --metrics-bind-address=:80
ends 100 "it cannot have the address: 100"
is "$(said | grep -v ready)" \
	"kpipe: error: kpipe-http (pid N) ended with exit code 100" "... says who"
ok "... no stage is left" none_left

fresh
echo 111 >"$D/kpipe-http.once"
begin --metrics-bind-address=:80
ok "111: started again" wait_for 30 is_state "$(all 1)"
stops

done_testing
