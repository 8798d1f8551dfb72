#!/bin/bash
# kpipe --shadow: another program beside the operator says what it would decide
# otherwise, and cannot touch the operator, whatever it does.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=operator.sh
. "${0%/*}/operator.sh"

export KAPI_OPTIONS=--authorization-mode=RBAC
operator_crd memcached
ok "the rights of the operator" operator_rights namespace default
# kwatch has a user of its own, which must not write.
kubectl create rolebinding shadow-kwatch -n default --user=kwatch \
	--role=memcached-kwatch >/dev/null
ok "... and of kwatch" wait_for 20 has_right kwatch watch "$resource" -n default

new=$T/new
mkdir "$new"
# change [SED-EXPRESSION]...: the new program, made of the operator's; at once,
# for the shadow may be starting
change() {
	cp "$folder"/{watches.yaml,operator.yaml,crd.yaml} "$new"
	sed "${@:-}" "$folder/reconcile.jq" >"$T/changed.jq"
	mv "$T/changed.jq" "$new/reconcile.jq"
}
shadowed() {
	: >"$T/operator.log"
	operator -n default --shadow "$new/watches.yaml" --record "$T/recording" \
		--kwatch-kubeconfig "$(config kwatch)" \
		--metrics-bind-address=127.0.0.1:0 \
		--health-probe-bind-address=127.0.0.1:0 "$@"
	ok "the operator is ready" wait_for 60 logged '^kpipe: ready'
	wait_for 60 logged '^kpipe-http: metrics at'
	wait_for 60 logged '^kpipe-http: probes at'
	metrics=$(address metrics) probes=$(address probes)
}
logged() {
	grep -q -e "$1" "$T/operator.log"
}
# address probes|metrics
address() {
	sed -nE "s/^kpipe-http: .*$1 at ([0-9.:]+).*/\1/p" "$T/operator.log"
}
# metric NAME...: their values
metric() {
	local name values=()

	for name; do
		values+=(-e "s/^$name //p")
	done
	mapfile -t values < <(curl -sf -m 10 "http://$metrics/metrics" |
		sed -n "${values[@]}")
	echo "${values[*]}"
}
# metric_is VALUE NAME
metric_is() {
	[ "$(metric "$2")" = "$1" ]
}
differences='kpipe_shadow_differences{controller="memcached.cache.example.com"}'
running='kpipe_stage_running{stage="shadow-ireconcile"}'
starts='kpipe_stage_starts_total{stage="shadow-ireconcile"}'
is_ok() {
	[ "$(curl -sf -m 10 "http://$probes/readyz")" = ok ]
}
# untouched WHAT: the stages of the operator are as they were started
untouched() {
	is "$(metric kpipe_stage_starts_total\{stage=\"{kwatch,ireconcile,kapply,kstatus,krecord}\"\})" \
		"1 1 1 1 1" "$1: no stage of the operator was started again"
	ok "... and it is ready" is_ok
}
# events NAME: reasons and messages of those of the shadow about it, in order
events() {
	kubectl get events -n default -o json | jq -r --arg name "$1" '.items
		| map(select(.involvedObject.name == $name
			and (.reason | startswith("Shadow"))))
		| sort_by(.metadata.resourceVersion | tonumber)[]
		| "\(.type) \(.reason) \(.message)"'
}
has_event() {
	events "$1" | grep -q "$2"
}
# memcached [NAME SIZE]...
memcached() {
	printf '{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"%s","namespace":"default"},"spec":{"size":%s}}\n---\n' \
		"$@" | kubectl apply -f - >/dev/null
}
# has_deployment NAME SIZE
has_deployment() {
	[ "$(kubectl get deployment "$1" -n default \
		-o jsonpath='{.spec.replicas}')" = "$2" ]
}
# beside NAME: the pid of that process of the pair (not by its name, which is
# another one if it was executed)
beside() {
	local name pid

	for pid in $(<"/proc/$operator/task/$operator/children"); do
		IFS= read -r -d "" name <"/proc/$pid/cmdline"
		[ "$name" != "$1" ] || echo "$pid"
	done 2>/dev/null
}
has_beside() {
	[ -n "$(beside "$1")" ]
}
# shadows: both pids
shadows() {
	beside shadow-kwatch
	beside shadow-ireconcile
}
strike_beside() {
	wait_for 20 has_beside "$1" && kill -9 "$(beside "$1")"
}

# ---- a program that decides otherwise ----

change 's/-m=64/-m=128/'
memcached one 1
audit_mark
shadowed
line='kpipe: shadow: Memcached.cache.example.com default/one: Deployment.apps default/one .spec.template.spec.containers\[name=memcached\].command\[1\] "-m=64" -> "-m=128"$'
ok "a difference is logged" wait_for 60 logged "$line"
ok "... is a metric" wait_for 30 metric_is 1 "$differences"
ok "... and an Event about the primary" wait_for 30 has_event one ShadowDiffers
# Where Deployments become ready, the status differs as well.
ok "... with file, object and field" has_event one \
	"^Normal ShadowDiffers [12] objects* would differ with $new/watches.yaml\(:\|, such as\) Deployment.apps default/one .spec.template.spec.containers.name=memcached..command.1. \"-m=64\" -> \"-m=128\"\$"
is "$(kubectl get events -n default -o json | jq -r '.items[]
	| select(.reason == "ShadowDiffers") | .involvedObject.uid')" \
	"$(kubectl get memcached one -n default -o jsonpath='{.metadata.uid}')" \
	"... that kubectl describe shows"
recorded() {
	krecord cat "$T/recording" 2>/dev/null |
		jq -r 'select(.record == "shadow").line
			| "\(.primary) \(.object) \(.change)"' | grep -qxF "$1"
}
ok "... and it is recorded" wait_for 30 recorded \
	"Memcached.cache.example.com/default/one Deployment.apps/default/one differs"
memcached two 2
ok "the operator works" wait_for 60 has_deployment two 2
ok "... and what comes later is compared" wait_for 30 has_event two ShadowDiffers
ok "... and counted" wait_for 30 metric_is 2 "$differences"
is "$(kubectl get deployment two -n default \
	-o jsonpath='{.spec.template.spec.containers[0].command[1]}')" -m=64 \
	"it writes what its own program wants"
is "$(audit_writes kwatch)" "" "the shadow, which only has kwatch's user, writes nothing"
is "$(curl -s "http://$probes/readyz?verbose" | grep -c shadow)" 0 \
	"readiness does not ask for it"
is "$(for pid in $(shadows); do ps -o ni= -p "$pid"; done | xargs)" "19 19" \
	"it has the time that others leave"
is "$(for pid in $(shadows); do cat "/proc/$pid/oom_score_adj"; done | xargs)" \
	"1000 1000" "... and is the first to go without memory"
is "$(for pid in $(shadows); do tr '\0' '\n' <"/proc/$pid/cmdline"; done |
	grep -cE 'marks|fence|gate|lines|tap')" 0 "it has no key and no fence"

# ---- each of the two is killed ----

for name in shadow-ireconcile shadow-kwatch; do
	before=$(metric "$starts")
	strike_beside "$name"
	ok "$name is killed: both start again" wait_for 60 \
		metric_is $((before + 1)) "$starts"
	is "$(metric 'kpipe_stage_starts_total{stage="shadow-kwatch"}')" \
		$((before + 1)) "... together"
	ok "... and compare again" wait_for 60 metric_is 2 "$differences"
	untouched "$name"
done
before=$(metric "$starts")
freeze "$(beside shadow-ireconcile)"
strike_beside shadow-kwatch
ok "kwatch is killed, and ireconcile hangs: both start again" wait_for 90 \
	metric_is $((before + 1)) "$starts"
ok "... and compare" wait_for 60 metric_is 2 "$differences"
is "$(events one | grep -c .)" 1 "what was told is not told again"

# ---- the new program is mended ----

change
strike_beside shadow-ireconcile
ok "a program that agrees: an Event" wait_for 90 has_event one ShadowAgrees
wait_for 30 has_event two ShadowAgrees
is "$(events two | tail -n 1)" \
	"Normal ShadowAgrees nothing differs any more with $new/watches.yaml" \
	"... about each that differed"
ok "... and nothing differs" wait_for 60 metric_is 0 "$differences"

# ---- programs that are broken ----

# ends WHAT: told to, the operator does
ends() {
	ok "$1" operator_stop
}
ends "told to end"
change '$s/$/\nsyntax error here/'
shadowed
ok "a program with an error: its message is logged" wait_for 90 \
	logged "^shadow-ireconcile: fatal: $new/reconcile.jq:[0-9]*"
ok "... the shadow does not run" wait_for 60 metric_is 0 "$running"
memcached three 3
ok "... and the operator works" wait_for 60 has_deployment three 3
untouched "an error"

# Each call has a second of the processor, which the shadow gets last: beside busy
# loops that takes minutes.
endless='if .primary.metadata.name | test("three|four") then f else . end'
change "s/^def desired: /def f: f; def desired: $endless | /"
ok "a program without an end, which is started when the back-off is over" wait_for 900 \
	logged 'shadow: .* failure .*took more than' ||
	tail -n 30 "$T/operator.log" | quote
memcached four 4
ok "... and the operator works" wait_for 60 has_deployment four 4
untouched "a program without an end"
ok "... nothing of it is in a status" \
	[ "$(kubectl get memcacheds -n default -o json |
		jq '[.items[].status.conditions[]? | select(.reason == "Failed")] | length')" -eq 0 ]

# ---- a kind that only the new file has ----

ends "told to end"
change 's/-m=64/-m=128/'
sed -i '$s,$,\n  related:\n  - {apiVersion: batch/v1\, kind: Job\, fields: [metadata.labels]},' \
	"$new/watches.yaml"
shadowed
ok "a kind without the right to watch it: is logged" wait_for 60 \
	logged '^shadow-kwatch: .*jobs.*forbidden'
memcached five 5
ok "... and the operator works" wait_for 60 has_deployment five 5
untouched "a missing right"
is "$(metric 'kpipe_stage_ready{stage="shadow-kwatch"}')" 0 \
	"... the shadow is not ready"
kgen rights -f "$folder" --shadow "$new/watches.yaml" >"$T/rbac.yaml"
kubectl apply -n default -f "$T/rbac.yaml" -l kpipe.dev/scope=namespace >/dev/null
ok "... with the rights of kgen --shadow it is" wait_for 90 metric_is 1 \
	'kpipe_stage_ready{stage="shadow-kwatch"}'
ok "... and compares" wait_for 60 has_event five ShadowDiffers
is "$(audit_writes kwatch)" "" "still it has written nothing"

# ---- the end ----

pids=$(shadows)
ends "told to end"
none_runs() {
	local pid

	for pid in $pids; do
		! kill -0 "$pid" 2>/dev/null || return
	done
}
ok "... no process of the shadow is left" none_runs
shadowed
ok "it runs" wait_for 60 has_beside shadow-ireconcile
pids=$(shadows)
# shellcheck disable=SC2086
freeze $pids
ends "told to end, and both hang"
ok "... none of it is left" none_runs
shadowed
ok "it runs" wait_for 60 has_beside shadow-ireconcile
pids=$(shadows)
kill_now "$operator"
ok "kpipe is killed: the shadow ends, too" wait_for 20 none_runs

# ---- a standby ----

kubectl apply -n default -f "$folder/rbac.yaml" -l kpipe.dev/scope=leader >/dev/null
kubectl create rolebinding memcached-kelect -n default --user=user1 \
	--role=memcached-kelect >/dev/null
wait_for 20 has_right user1 create leases -n default
election=(--leader-elect --leader-election-namespace=default)
kubectl delete memcacheds --all -n default >/dev/null
: >"$T/operator.log"
operator -n default "${election[@]}"
leader=$operator
ok "another one leads" wait_for 60 logged 'became leader'
wait_for 60 logged '^kpipe: ready' # that of this one
change 's/-m=64/-m=128/'
shadowed "${election[@]}"
memcached six 6
ok "a standby has a shadow, too" wait_for 60 logged 'shadow: .*default/six'
is "$(events six)" "" "... but no Event comes from it"
kill "$leader"
wait "$leader"
ok "it leads: now there is an Event" wait_for 90 has_event six ShadowDiffers

# ---- a recorder that is too slow ----

# Each line has 16 KB; a pipe has room for some.
change 's/^def desired:/def wanted:/'
cat >>"$new/reconcile.jq" <<'END'
def desired: wanted | map(.metadata.annotations = ([range(32)
  | {key: "x\(.)", value: ("v" * 400)}] | from_entries));
END
strike_beside shadow-ireconcile
ok "another program" wait_for 60 logged 'six .metadata.annotations'
recorder=$(stage krecord) many=()
kill -STOP "$recorder"
for i in {1..12}; do
	many+=("many-$i" 1)
done
memcached "${many[@]}"
ok "a recorder that hangs does not hold anything up" wait_for 60 \
	metric_is 13 "$differences"
kill -CONT "$recorder"
has_gap() {
	krecord cat "$T/recording" 2>/dev/null | grep -q '"record":"gap".*"shadow"'
}
memcached again 1
ok "... what it missed is a gap" wait_for 60 has_gap
memcached more 1
ok "... and then lines are recorded" wait_for 60 recorded \
	"Memcached.cache.example.com/default/more Deployment.apps/default/more differs"
ends "told to end"

# ---- refusals ----

# refused FILE TEXT WHAT
refused() {
	refuses "$2" kpipe -f "$folder/watches.yaml" --shadow "$1"
}
refused "$T/none.yaml" "cannot read $T/none.yaml: No such file or directory" "no such file"
echo '- {group: e.com, kind: T, colour: red}' >"$T/bad.yaml"
refused "$T/bad.yaml" "$T/bad.yaml:1: unknown key \"colour\"" "a bad file"
sed '/program:/s/$/\n  filters:\n  - [cat]/' "$folder/watches.yaml" \
	>"$new/watches.yaml"
refused "$new/watches.yaml" \
	"$new/watches.yaml:7: filters do not run with --shadow: start without one of them" \
	"a file with filters"
refuses \
	"$new/watches.yaml:7: filters do not run with --shadow: start without one of them" \
	kpipe -f "$new/watches.yaml" --shadow "$folder/watches.yaml"
refuses "options --dry-run and --shadow exclude each other" kpipe -f \
	"$folder/watches.yaml" --dry-run --shadow "$folder/watches.yaml"

done_testing
