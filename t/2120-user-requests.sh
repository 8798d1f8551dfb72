#!/bin/bash
# ireconcile: what users ask of one object by annotations: pause, reconcile
# now, reconcile-period.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
noted() { # ANNOTATION VALUE [METADATA]
	printf '"annotations":{"%s":"%s"}%s' "$1" "$2" "${3:+,$3}"
}
paused() { noted kpipe.dev/paused "$@"; }
who="thing.example.com ns/a"

# ---- pause ----

given initially "$(thing a 1 "$(paused true)" "$(spec 1 v)")"
and event MODIFIED "$(thing a 2 "$(paused true)" "$(spec 2 v)")"
and tick 59:00
silent 0 "nothing is said of what is paused"
says "ireconcile: $who: paused by the annotation kpipe.dev/paused" \
	"... but once, in the log"
event MODIFIED "$(thing a 3 "" "$(spec 1 v)")" >>"$T/in"
creates a 3 >"$T/want"
replay 0 "what is outstanding comes when it is not paused any more"
event MODIFIED "$(thing a 4 "$(paused true)" "$(spec 1 v)")" >>"$T/in"
line "" a 4 >>"$T/want"
replay 0 "a pause cancels what was asked for"
and tick 59:59
and event MODIFIED "$(thing a 5 "$(paused false)" "$(spec 1 v)")"
creates a 5 >>"$T/want"
replay 0 "false is not a pause, and what was cancelled is said again"
says "ireconcile: $who: paused by the annotation kpipe.dev/paused
ireconcile: $who: not paused any more
ireconcile: $who: paused by the annotation kpipe.dev/paused
ireconcile: $who: not paused any more" "... each is logged"

# Deletion waits, too.
sed 's/  program:/  finalizer: example.com\/cleaner\n&/' "$T/watches.yaml" \
	>"$T/with.yaml"
cp "$T/watches.yaml" "$T/without.yaml"
cp "$T/with.yaml" "$T/watches.yaml"
dying='"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["example.com/cleaner"]'
initially "$(thing a 1 "$(paused true "$dying")" "$(spec 1 v)")" \
	"$(observed a-0 a v 2)" >"$T/in"
silent 0 "what is paused is not cleaned up either"
event MODIFIED "$(thing a 3 "$dying" "$(spec 1 v),$(status true)")" >>"$T/in"
line "" a 3 '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"ns","name":"a-0","uid":"uid-a-0"}],'"$(on_error)"',"deleting":true' >"$T/want"
replay 0 "... but then"
cp "$T/without.yaml" "$T/watches.yaml"

# A paused primary holds no slot of the throttle.
sed -i 's/  program:/  throttle: {limit: 1}\n&/' "$T/watches.yaml"
given initially "$(thing b 1 "" "$(spec 1 v)")"
and event ADDED "$(thing a 2 "" "$(spec 1 v)")"
and event MODIFIED "$(thing b 3 "$(paused true)" "$(spec 1 v)")"
want creates b 1
also line "" b 3
also creates a 2
replay 0 "a pause gives the slot to the next"
cp "$T/without.yaml" "$T/watches.yaml"

# Any other value does not pause; it is reported by a Warning.
complaint() { # KEY VALUE TEXT: as the member of a line
	printf '"events":[{"message":"annotation %s: \\"%s\\" is %s","reason":"BadAnnotation","type":"Warning"}]' \
		"$1" "$2" "$3"
}
no_pause='neither \"true\" nor \"false\": the object is not paused'
given initially "$(thing a 1 "$(paused yes)" "$(spec 1 v)")" \
	"$(observed a-0 a v 2)"
and event MODIFIED "$(thing a 3 "$(paused yes)" "$(spec 1 v),$(status false)")"
line "" a 1 "$(status false),$(complaint kpipe.dev/paused yes "$no_pause")" \
	>"$T/want"
replay 0 "an odd value is a Warning"
says "ireconcile: warning: $who: annotation kpipe.dev/paused: \"yes\" is ${no_pause//\\/}" \
	"... logged once"
for value in True 1 ""; do
	sed "s/\"kpipe.dev\/paused\":\"yes\"/\"kpipe.dev\/paused\":\"$value\"/" \
		"$T/in" >"$T/in2"
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in2" 2>/dev/null |
		jq -r '.reconcile.events[].message' >"$T/got"
	is "$(<"$T/got")" \
		"annotation kpipe.dev/paused: \"$value\" is ${no_pause//\\/}" \
		"... so is \"$value\""
done

# ---- reconcile now ----

requested() { noted reconcile.fluxcd.io/requestedAt "$1"; }
given initially "$(thing a 1 "$(requested 1)" "$(spec 1 v)")"
and event MODIFIED "$(thing a 2 "$(requested 1)" "$(spec 1 v)")"
and event MODIFIED "$(thing a 3 "$(requested 2)" "$(spec 1 v)")"
and event MODIFIED "$(thing a 4 "$(requested 2)" "$(spec 1 v)")"
and event MODIFIED "$(thing a 5 "" "$(spec 1 v)")"
want creates a 1
also creates a 3
replay 0 "a new value: what is outstanding is said again"
event MODIFIED "$(thing a 6 "$(requested 3)" "$(spec 1 v)")" >>"$T/in"
creates a 6 >>"$T/want"
replay 0 "... and after it was taken away"

# "Reconcile now" repairs an item that is held back in a loop. (One that is
# tolerated: t/2049-permadiff.sh.)
sed -i '/^def status/,$d' "$T/program.jq"
given initially "$(thing a 1 "" "$(spec 1 v)")" "$(observed a-0 a v 2)"
for i in 10 11 12 13 14; do
	and event MODIFIED "$(observed a-0 a other "1$i")" \
		"2026-01-01T00:00:${i}Z"
	and event MODIFIED "$(observed a-0 a v "2$i")"
done
and event MODIFIED "$(observed a-0 a other 115)" 2026-01-01T00:00:15Z
and event MODIFIED "$(thing a 6 "$(requested now)" "$(spec 1 v)")"
loop() { # RV [REST]
	line "$(configmap a-0 a v)" a "$1" \
		"$(known a-0 uid-a-0)${2:+,$2},$(because a-0 "$repaired")"
}
{
	for _ in 1 2 3 4; do loop 1; done
	loop 1 '"loops":{"ConfigMap/ns/a-0":".data.k"}'
	loop 6 '"loops":{"ConfigMap/ns/a-0":".data.k"}'
} >"$T/want"
replay 0 "what is held back is repaired"

# A program that ran into a limit is called again, as the status shows.
cat >"$T/program.jq" <<'END'
include "operator";
def desired: if .primary.metadata.annotations == null
	then [limit(1e9; repeat(1))] else [] end;
def status: {error} + handled;
END
{
	initially "$(thing a 1 '"generation":1' '"status":{}')"
	tick 00:10 # the second time; the third would be at 00:30
	event MODIFIED "$(thing a 2 "$(requested 7),\"generation\":1" '"status":{}')" 2026-01-01T00:00:12Z
	tick 00:20
} >"$T/in"
ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>/dev/null |
	jq -c .reconcile.status >"$T/got"
is "$(sed 's/took.*stopped/was stopped/' "$T/got")" \
	'{"error":"program.jq:2: desired of Thing.example.com/ns/a was stopped"}
{"error":"program.jq:2: desired of Thing.example.com/ns/a was stopped"}
{"error":null,"lastHandledReconcileAt":"7"}' \
	"a back-off ends after 10 s, and the status names the request"

# ---- reconcile-period ----

cat >"$T/program.jq" <<'END'
def desired: [];
def events: [{type: "Normal", reason: "Now", message: "\(.now % 86400)"}];
END
old=ansible.operator-sdk/reconcile-period
new=ansible.sdk.operatorframework.io/reconcile-period
period() { # METADATA: when it was evaluated, in the first minute
	given initially "$(thing a 1 "$1")"
	and tick 01:00
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>"$T/err" |
		jq -r '.reconcile.events[].message' | xargs echo
}
sed -i 's/  program:/  reconcilePeriod: 20s\n&/' "$T/watches.yaml"
is "$(period "")" "0 20 40 60" "the period of watches.yaml"
is "$(period "$(noted $old 30s)")" "0 30 60" "... of the annotation"
is "$(period "$(noted $new 25s)")" "0 25 50" "... in its newer spelling"
is "$(period "\"annotations\":{\"$old\":\"30s\",\"$new\":\"50s\"}")" "0 50" \
	"... which has precedence"
is "$(period "$(noted $old 0s)")" "0" "0 turns it off"
for bad in 30 "" -5s soon 1d "30 s"; do
	is "$(period "$(noted $old "$bad")")" \
		"0 annotation $old: $bad is not a duration such as 30s or 1h30m 20 40 60" \
		"\"$bad\" is a Warning, and the period that of watches.yaml"
done
long=$(printf 'ä%.0s' {1..40})
is "$(period "$(noted $old "x$long")" >/dev/null; cat "$T/err")" \
	"ireconcile: warning: $who: annotation $old: \"x${long:0:19}...\" is not a duration such as \"30s\" or \"1h30m\"" \
	"a long value is cut, between characters"

sed -i 's/\.now % 86400/(.now * 1000) % 86400000/' "$T/program.jq"
is "$(period "$(noted $old 1ms)" | cut -d " " -f 1-4)" "0 100 200 300" \
	"0.1 s is the shortest"

done_testing
