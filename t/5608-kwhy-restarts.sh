#!/bin/bash
# One recording over several processes of an operator: its starts and stops are in
# every story, and digests of Secrets compare.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

cat >"$T/watches.yaml" <<'END'
- group: apps
  version: v1
  kind: Deployment
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
  related:
  - {apiVersion: v1, kind: Secret}
END
echo 'def desired: [];' >"$T/program.jq"
kapi_up
export KUBECONFIG=$T/kubeconfig
secret() { # NAME VALUE
	printf '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"%s","namespace":"default"},"stringData":{"p":"%s"}}' \
		"$@" | kapply --field-manager=human -o none
}
# How many times the recording has that event
seen() { # TYPE NAME
	krecord cat "$T/rec" 2>/dev/null | jq -c --arg t "$1" --arg n "$2" \
		'select(.type == $t and .object.metadata.name == $n)' | wc -l
}
is_seen() {
	[ "$(seen "$1" "$2")" -ge "$3" ]
}
begin() {
	start kpipe -f "$T/watches.yaml" --record "$T/rec" -A 2>>"$T/log"
	kpipe=$!
}
end() { # SIGNAL
	kill "-$1" "$kpipe"
	wait "$kpipe"
}

secret same 1
secret other 1
secret again 1
begin
ok "the first process" wait_for 30 is_seen ADDED again 1
end TERM
secret other 2
begin
ok "the second one" wait_for 30 is_seen ADDED again 2
end KILL
begin
ok "the third one" wait_for 30 is_seen ADDED again 3
own_kubectl
kubectl delete secret -n default again >/dev/null
ok "... sees an object go" wait_for 30 is_seen DELETED again 1
secret again 2
ok "... and come with another value" wait_for 30 is_seen ADDED again 4
end TERM

# story NAME: without times and places
story() {
	kwhy secret "default/$1" "$T/rec" 2>"$T/err" |
		sed -E '/^20[0-9][0-9]-/d; s/^[^ ]+ +//; s/, [0-9a-z ]+ after it stopped/ later/'
}
operator() {
	grep -E '^.the operator' "$T/story" | sed 's/: kpipe .*/: kpipe)/'
}
story same >"$T/story"
is "$(operator)" "(the operator started: kpipe)
(the operator stops)
(the operator started again later; the same version)
(the operator started again, without having stopped before; the same version)
(the operator stops)" "kwhy tells three starts, and both ends that were said"
is "$(grep '^It' "$T/story")" "It was seen" \
	"a Secret that nobody changed has not changed"
story other | grep '^It' >"$T/story"
is "$(<"$T/story")" "It was seen
It was seen to change: .data.p" \
	"one that was changed while the operator was away has, by nobody who is known"
story again | grep '^It' >"$T/story"
is "$(<"$T/story")" "It was seen
It was seen to be gone
It was seen (by human), another one than before: .data.p" \
	"another one of that name has another value"
kwhy secret default/same "$T/rec" 2>/dev/null |
	grep -c "the operator started: kpipe .*Deployment.apps by program.jq" \
	>"$T/count"
is "$(<"$T/count")" 1 "... with version and digest of the program, once"

kview --term "$T/rec" 2>/dev/null | sed 's/^[^ ]* //' >"$T/view"
is "$(grep -oE 'pipeline: the operator [a-z ]+: kpipe .*program.jq' "$T/view" |
	cut -d : -f 2)" " the operator started
 the operator restarted here
 the operator restarted here" "kview has three starts"
is "$(grep -c 'phase *pipeline: draining' "$T/view")" 2 "... and two ends"
is "$(grep Secret/default/same "$T/view")" \
	"present   Secret/default/same: was there" "... no change where there was none"
is "$(grep Secret/default/again "$T/view" | tail -n 1)" \
	"appeared  Secret/default/again: created with other content than before" \
	"... and the object that is another one"
is "$(krecord stat "$T/rec" 2>/dev/null | grep ^starts)" "starts     3" \
	"krecord stat counts them"

# The key.
is "$(stat -c '%a %s' "$T/rec/digests.key")" "600 32" "the key of the digests"
is "$(krecord cat "$T/rec" 2>/dev/null |
	jq -r 'select(.record == "segment").digests' | sort -u | wc -l)" 1 \
	"... is one for all"
hex=$(od -An -tx1 "$T/rec/digests.key" | tr -d ' \n')
{
	krecord cat "$T/rec"
	krecord cut --from=2026-01-01T00:00:00Z "$T/rec"
} >"$T/out" 2>/dev/null
is "$(grep -c -e "$hex" -e "$(base64 -w0 "$T/rec/digests.key")" "$T/out")" 0 \
	"... and in no output"
krecord cut --from=2026-01-01T00:00:00Z "$T/rec" 2>/dev/null |
	kwhy secret default/again | grep -c 'another one than before: .data.p' \
	>"$T/count"
is "$(<"$T/count")" 1 "what is cut compares as well"
: >"$T/rec/digests.key"
begin
ok "a key that is cut" wait_for 30 is_seen ADDED again 5
end TERM
is "$(grep -c 'digests.key has less than 32 bytes: remove it' "$T/log")" 1 \
	"... is said"
story again >"$T/story"
is "$(grep -c '^It' "$T/story")" 3 "... and its digests are compared with no others"

# --- files
segment() { # MEMBERS
	printf '{"record":"segment","version":1,"time":"2026-01-01T00:00:00Z","sequence":1,"tool":"kpipe"%s}\n' \
		"${1:-}"
}
event() { # TYPE VERSION DIGIT [MEMBERS]
	printf '{"type":"%s","object":{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"n","name":"s","uid":"%s","resourceVersion":"%s"},"data":{"p":"%s"}}%s}\n' \
		"$1" "${5:-u}" "$2" "$(printf "%032d" "$3")" "${4:-}"
}
told() { # WHAT WANT: of the events on standard input
	cat >"$T/events"
	kwhy -l secret n/s <"$T/events" | sed -E 's/^[^ ]+ +[^ ]+ +//' |
		grep ^It >"$T/got"
	is "$(<"$T/got")" "$2" "$1"
}
seen="It was seen (version 1)."
told "digests of older recordings are not compared" "$seen" < <(
	segment; event ADDED 1 1; segment; event ADDED 2 2)
told "nor those of two keys" "$seen" < <(
	segment ',"digests":"a"'; event ADDED 1 1; segment ',"digests":"b"'
	event ADDED 2 2)
# from_two KEY: of a recording with the keys a, b and that one, from b on
from_two() {
	{
		segment ',"digests":"a"'
		event ADDED 1 1 ',"time":"2026-01-01T00:00:01Z"'
		segment ',"digests":"b"' | sed 's/T00:00/T00:01/'
		event ADDED 2 2 ',"time":"2026-01-01T00:01:01Z"'
		segment ",\"digests\":\"$1\"" | sed 's/T00:00/T00:03/'
		event MODIFIED 3 3 ',"time":"2026-01-01T00:03:01Z"'
	} >"$T/three"
	krecord cut --from=2026-01-01T00:02:00Z "$T/three"
}
told "what is cut begins with the key of its state" "It was seen (version 2).
It was seen to change (version 3): .data.p." < <(from_two b)
told "... and not with the first one" "It was seen (version 2)." < <(from_two a)
told "those of one key are" "$seen
It was seen to change (version 2): .data.p." < <(
	segment ',"digests":"b"'; event ADDED 1 1; segment ',"digests":"b"'
	event ADDED 2 2)
told "and those of one segment" "$seen
It was seen to change (version 2, by x): .data.p." < <(
	segment; event ADDED 1 1; event MODIFIED 2 2 ',"manager":"x"')
told "the same version is never a change" "$seen" < <(
	event ADDED 1 1; event ADDED 1 2)
told "another uid is another object" "$seen
$seen" < <(
	event ADDED 1 1; event ADDED 1 1 "" v)
told "nobody is named for what a gap hides" "$seen
It was seen to change (version 3): .data.p.
It was seen to change (version 4, by y): .data.p." < <(
	event ADDED 1 1; echo '{"record":"gap","time":"2026-01-01T00:00:00Z","stream":"all"}'
	event MODIFIED 3 3 ',"manager":"x"'; event MODIFIED 4 4 ',"manager":"y"')

# --- what runs of kwatch have appended to a file, each under a key of its own
digest() { # KEY VALUE
	printf 'redacted-%06d%024d' "$1" "$2" | base64
}
with() { # VALUE: in the event on standard input
	sed "s/\"p\":\"[0-9]*\"/\"p\":\"$1\"/"
}
runs_of() { # VALUE EVENT
	local kind

	for kind in Secret ConfigMap; do
		bookmark "$kind" kpipe.dev/initial-events-begin
	done
	with "$1" <<<"$2"
	for kind in Secret ConfigMap; do
		bookmark "$kind" k8s.io/initial-events-end
	done
}
bookmark() { # KIND ANNOTATION
	printf '{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"%s","metadata":{"annotations":{"%s":"true"}}}}\n' "$@"
}
twice() { # KEY VALUE VERSION: of the second run
	runs_of "$(digest 1 1)" "$(event ADDED 1 1)"
	runs_of "$(digest "$1" "$2")" "$(event ADDED "$3" 1)"
}
told "a second run of kwatch, with another key" "$seen" < <(twice 2 2 2)
is "$(kwhy secret n/s <"$T/events" | grep -c '(kwatch began again)')" 1 \
	"... is a mark, once"
is "$(kview --term <"$T/events" | sed 's/^line [0-9]* //')" \
	"present   Secret/n/s: was there
restart   pipeline: kwatch began again" "... in kview, too"
told "the same version in it is never a change" "$seen" < <(twice 1 2 1)
told "with the same key it is compared" "$seen
It was seen to change (version 2): .data.p." < <(twice 1 2 2)
told "a value and a digest are not" "$seen" < <(
	runs_of "cGxhaW4=" "$(event ADDED 1 1)"
	runs_of "$(digest 1 1)" "$(event ADDED 2 1)")
told "a digest is not compared with that of an older recording" "$seen" < <(
	runs_of "$(digest 1 1)" "$(event ADDED 1 1)"
	event MODIFIED 2 2)
told "without bookmarks and segments, another key" "$seen" < <(
	event ADDED 1 1 | with "$(digest 1 1)"
	event ADDED 2 1 | with "$(digest 2 2)")
told "digests of older runs are not compared" "$seen" < <(
	runs_of "$(printf '%032d' 1)" "$(event ADDED 1 1)"
	runs_of "$(printf '%032d' 2)" "$(event ADDED 2 1)")
done_testing
