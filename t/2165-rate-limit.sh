#!/bin/bash
# Objects with an expensive `map` expression are used late: the cost of finding
# out to which primaries an object belongs is charged to the object, and others
# do not wait for it.
. "${0%/*}/lib.sh"
. t/ireconcile.sh
. "${0%/*}/clock/lib.sh"
clock_begin

# A build with sanitizers is slow, and has no sandbox.
sandbox=--sandbox=auto
! nm -D "$BIN/ireconcile" | grep -q __asan_init || sandbox=--sandbox=off
cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  related:
  - {apiVersion: v1, kind: Secret, map: {jq: 'if .data.cost == "all" then (def f: f; f) elif .data.cost then reduce range(2000000) as $i (.; .) else . end | [{namespace: "ns", name: "a"}]'}}
END
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {seen: ([.related.Secret[] | "\(.metadata.name)=\(.data.k)"]
	| if . == [] then "none" else join(",") end)};
END
# secret NAME VALUE [COST]
secret() {
	object Secret "$1" "$2" "" "\"data\":{\"k\":\"$2\"${3:+,\"cost\":\"$3\"}}"
}
# stopped: how often the expression ran into its limit
stopped() {
	grep -c 'cannot map Secret/ns/s: .* of CPU time and was stopped$' "$T/err"
}
# seen: the values in the statuses, one after the other (without repetitions)
seen() {
	jq -r .reconcile.status.seen "$T/out" | uniq | xargs
}

# --- a map that never ends, again and again
given initially "$(thing a 1)"
and event ADDED "$(secret s 0)"
for i in {1..4}; do
	and event MODIFIED "$(secret s "$i" all)"
	and event MODIFIED "$(secret other "$i")"
done
and tick 00:09.999
and tick 00:10
and event MODIFIED "$(secret s 6 all)"
and tick 00:29.999
and event MODIFIED "$(secret s 7)"
decide "$sandbox"
# It is called when the object comes, and after 10 s; the version that waits
# then is replaced by a good one.
is "$(stopped)" 2 "an expression that never ends is run as often as it may"
is "$(seen)" "none s=0 none other=1 other=2 other=3 other=4 other=4,s=7" \
	"... others are seen at once, and the newest version in the end"

# --- changes of the object while it waits
waiting() {
	initially "$(thing a 1)"
	event ADDED "$(secret s 1 all)"
	event MODIFIED "$(secret s 2)"
}
given waiting
and event DELETED "$(secret s 2)"
and tick 01:00
decide "$sandbox"
is "$(seen)" "none" "one that is deleted while it waits is not seen any more"
given waiting
and begin v1 Secret
and event ADDED "$(secret other 1)"
and end v1 Secret
and tick 01:00
decide "$sandbox"
is "$(seen)" "none other=1" "... nor one that a list does not mention"
given waiting
and begin v1 Secret
and event ADDED "$(secret s 3)"
and end v1 Secret
and tick 01:00
decide "$sandbox"
is "$(seen)" "none s=3" "... one that it does is, as it is there"
given initially "$(thing a 1)"
and event ADDED "$(secret s 1 all)"
and event MODIFIED "$(secret s 2)"
and event MODIFIED "$(secret s 1 all)"
and tick 01:00
decide "$sandbox"
is "$(stopped) $(seen)" "1 none" "... one that is again as it was is not looked at"

# --- a map that ends, but takes long: its object waits ten times as long, some
# seconds; on any libjq it takes much more than what counts as cheap (50 ms),
# and much less than the limit.
mkfifo "$T/input"
start bash -c "exec ireconcile -f '$T/watches.yaml' $sandbox <'$T/input' >'$T/out' 2>'$T/err'"
pid=$!
exec 6>"$T/input"
initially "$(thing a 1)" >&6
value() { grep -q "[,\"]$1=$2[,\"]" "$T/out"; }
for i in {1..10}; do
	{
		event MODIFIED "$(secret s "$i" some)"
		event MODIFIED "$(secret other "$i")"
	} >&6
	wait_for 30 value other "$i" || break
done
ok "one that is cheap is seen at each change" [ "$i" -eq 10 ]
exec 6>&-
wait "$pid"
is "$?" 0 "... exit code"
times=$(grep -o '[,"]s=[0-9]*' "$T/out" | sort -u | wc -l)
ok "... the expensive one is not ($times times)" [ "$times" -lt 6 ]
ok "... but as it is in the end" value s 10
says "" "... without a word"
done_testing
