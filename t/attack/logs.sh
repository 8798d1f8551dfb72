# shellcheck shell=bash disable=SC2154
# What is written for people to read.

section "logs, Events and statuses"
# The logs contain only lines of the tools: each begins with a tool's name, and
# has no control characters for a terminal.
clean_logs() {
	followed && ! cat "$T"/operator*.log |
		LC_ALL=C grep -avE '^(kpipe|kwatch|ireconcile|kapply|kstatus|kelect|kpipe-http): ' &&
		! cat "$T"/operator*.log | LC_ALL=C grep -aqE '[[:cntrl:]]|'$'\xc2[\x80-\x9f]'"|$(
			printf '\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]')"
}
for text in '\n' 'x\nkapply: fatal: ALL BACKUPS DELETED\n' '\u001b[31mred\u001b[0m' \
	'\u0000' '\u007f' '\u009b31m' '\u2028' '\u202edesrever' '\u2066x\u2069' \
	'\r\rkpipe: fatal' '\ud800'; do
	name=log$attacks
	tries "an error with ${text%%red*}" thing "$name" \
		"{\"do\":\"fail\",\"x\":\"$text\"}"
	gets "a log that says who and what, in one line" clean_logs
done
tries "marks that name a primary with new lines" as mallory POST \
	"$(configmaps tenant)" "{\"metadata\":{\"name\":\"newline\",\"labels\":{\"kpipe.dev/part-of\":\"$(
		printf 'Target.attack.example.com/victim/x:\nkapply: fatal:' | sha256sum | cut -c1-32
	)\"},\"annotations\":{\"kpipe.dev/member\":\"Target.attack.example.com/victim/x:\\nkapply:\u001b[1Cfatal: ConfigMap/tenant/newline\"}}}" >"$T/answer"
gets "a log without her lines" clean_logs
tries "an annotation of the operator's with ESC" as mallory PATCH \
	"$targets/tenant/targets/mine" \
	'{"metadata":{"annotations":{"ansible.operator-sdk/reconcile-period":"\u001b[31m\nkpipe: fatal: x"}}}' >"$T/answer"
gets "a log without her lines" clean_logs
tries "an item's name with new lines" thing "logitem" \
	'{"x":"x","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a\nkapply: fatal: b"}}]}'
gets "Failed" failed logitem
tries "... in the logs" true
gets "a log without her lines" clean_logs
tries "a kind with ESC" thing "logkind" \
	'{"x":"x","items":[{"apiVersion":"v1","kind":"Config\u001b[2JMap","metadata":{"name":"a"}}]}'
gets "Failed" failed logkind
tries "... in the logs" true
gets "a log without her lines" clean_logs
quiet_secrets() {
	! cat "$T"/operator*.log | grep -q -e aHVudGVyMg -e hunter2 &&
		! kubectl get events,targets -A -o json | grep -q -e aHVudGVyMg -e YUhWdWRHVnlNZw
}
tries "all of the above, for a Secret's value in logs, Events and statuses" true
gets "none" quiet_secrets
