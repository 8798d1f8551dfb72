#!/bin/bash
# ireconcile: a primary with the annotation kpipe.dev/observe-only is decided
# about; only its status and Events are written, and what would be done is told.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
only() { # [METADATA]
	printf '"annotations":{"kpipe.dev/observe-only":"true"}%s' "${1:+,$1}"
}
who="thing.example.com ns/a"
base="by the annotation kpipe.dev/observe-only nothing is created, changed or deleted"
# told CHANGES: the Event, as a member of the line
told() {
	printf '"events":[{"message":"%s","reason":"ObserveOnly","type":"Warning"}]' \
		"$base; else this would be done: $1"
}
on="ireconcile: $who: only observed, by the annotation kpipe.dev/observe-only"
off="ireconcile: $who: not only observed any more"
# warned CHANGES
warned() {
	printf 'ireconcile: warning: %s: %s; else this would be done: %s' \
		"$who" "$base" "$1"
}

# create NAME RV: the line for it, whose status is the observed one
create() {
	line "$(configmap "$1-0" "$1" v)" "$1" "$2" \
		"$(known "$1-0" null),$(on_error)"
}

# ---- it comes and goes ----

given initially "$(thing a 1 "$(only)" "$(spec 1 v)")"
and event MODIFIED "$(thing a 2 "$(only)" "$(spec 1 v),$(status true)")"
and tick 59:00
want line "" a 1 "$(status true),$(told "create ConfigMap/ns/a-0")"
replay 0 "an item that is not there: the status has it, and an Event"
says "$on
$(warned "create ConfigMap/ns/a-0")" "... and the log, once"
and event MODIFIED "$(thing a 3 "" "$(spec 1 v),$(status true)")" 2026-01-01T00:59:01Z
also create a 3
replay 0 "it is created when the annotation goes"
says "$on
$(warned "create ConfigMap/ns/a-0")
$off" "... which is logged"
and event MODIFIED "$(thing a 4 "$(only)" "$(spec 1 v),$(status true)")" 2026-01-01T00:59:02Z
also line "" a 4 "$(told "create ConfigMap/ns/a-0")"
replay 0 "... and when it comes again, the request is cancelled"
and event ADDED "$(observed a-0 a v 5)"
and event MODIFIED "$(observed a-0 a w 6)"
and event MODIFIED "$(thing a 7 "$(only)" "$(spec 1 v),$(status true)")"
and event DELETED "$(observed a-0 a w 8)"
also line "" a 4 "$(status false)"
also line "" a 4 "$(told "configure ConfigMap/ns/a-0 (.data.k)")"
also line "" a 7 "$(told "create ConfigMap/ns/a-0")"
replay 0 "it is neither repaired nor created again"

# A request that was done is not cancelled: nothing is withheld.
given initially "$(thing a 1 "" "$(spec 1 v)")"
and event ADDED "$(observed a-0 a v 2)"
and event MODIFIED "$(thing a 3 "$(only)" "$(spec 1 v),$(status false)")"
want creates a 1
also line "" a 1 "$(status false)"
replay 0 "nothing is said where all is as desired"
says "$on" "... but that it is only observed"

# ---- what is not done ----

given initially "$(thing a 1 "$(only)" "$(spec 2 v)")" "$(observed a-0 a v 2)" \
	"$(observed a-2 a v 2)" "$(observed a-3 a v 2)"
want line "" a 1 "$(status true),$(told "create ConfigMap/ns/a-1, delete ConfigMap/ns/a-2, delete ConfigMap/ns/a-3")"
replay 0 "nothing is pruned"
given initially "$(thing a 1 "$(only)" "$(spec 11 v)")"
decided 0 "many changes"
is "$(jq -r '.reconcile.events[].message' "$T/out")" \
	"$base; else this would be done: $(for i in {0..7}; do
		printf 'create ConfigMap/ns/a-%d, ' "$i"; done)and 3 more" \
	"... are counted"
is "$(jq -c .items "$T/out")" "[]" "... and none is in the line"
decided 0 "--all" --all
is "$(jq -c .items "$T/out")" "[]" "... not with --all, either"

sed -i 's/  program:/  finalizer: example.com\/cleaner\n&/' "$T/watches.yaml"
echo 'def finalize: {items: [], delete: .owned.ConfigMap, done: (.owned.ConfigMap == [])};' >>"$T/program.jq"
given initially "$(thing a 1 "$(only)" "$(spec 0 v)")" "$(observed a-0 a v 2)"
want line "" a 1 "$(status true),$(told "set the finalizer example.com/cleaner, delete ConfigMap/ns/a-0")"
replay 0 "no finalizer is set"
gone='"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["example.com/cleaner"]'
given initially "$(thing a 1 "$(only "$gone")" "$(spec 1 v)")" "$(observed a-0 a v 2)"
and event DELETED "$(observed a-0 a v 3)"
want line "" a 1 "$(status true),$(told "delete ConfigMap/ns/a-0"),\"deleting\":true"
also line "" a 1 "$(status false),$(told "remove the finalizer example.com/cleaner"),\"deleting\":true"
replay 0 "a deletion waits: nothing is deleted, and the finalizer stays"
and event MODIFIED "$(thing a 4 "$gone" "$(spec 1 v),$(status false)")"
# shellcheck disable=SC2016
also line "" a 4 '"finalizers":{"remove":["example.com/cleaner"]},"onError":{"busy":false,"error":"${error}","pods":[]},"deleting":true'
replay 0 "... until the annotation goes"

# ---- conditions, failures, other values ----

cat >"$T/program.jq" <<'END'
def desired: if .primary.spec.bad then error("a bad spec") else [
	{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "x"}}] end;
def status: {conditions: [{type: "Ready", status: (if .outstanding == [] then "True" else "False" end)}]};
END
watches dependents: '- {apiVersion: v1, kind: ConfigMap, manage: true}'
given initially "$(thing a 1 "$(only)")"
decided 0 "a status with conditions"
is "$(jq -r '.reconcile.status.conditions | last | "\(.type)=\(.status) \(.reason) \(.message)"' "$T/out")" \
	"ObserveOnly=True Annotation $base; else this would be done: create ConfigMap/ns/x" \
	"... has one more"
given initially "$(thing a 1 "$(only)" '"spec":{"bad":true}')"
decided 1 "a program that fails"
is "$(jq -r '.reconcile.status.conditions[] | "\(.type) \(.message // "")"' "$T/out")" \
	"Ready 
ObserveOnly $base" "... keeps the condition"
given initially "$(thing a 1 '"annotations":{"kpipe.dev/observe-only":"yes"}')"
decided 0 "another value"
is "$(jq -c '[.items[].metadata.name, .reconcile.events[].message]' "$T/out")" \
	'["x","annotation kpipe.dev/observe-only: \"yes\" is neither \"true\" nor \"false\": the object is repaired as usual"]' \
	"... is told, and counts as none"

# An observed primary holds no slot of the throttle, also at the start.
write_program
sed -i 's/  program:/  throttle: {limit: 1}\n&/' "$T/watches.yaml"
given initially "$(thing b 1 "$(only)" "$(spec 2 v)")" "$(observed b-0 b v 2)" \
	"$(thing a 2 "" "$(spec 1 v)")"
decided 0 "a throttle"
is "$(jq -r '"\(.reconcile.primary.name) \(.items | length)"' "$T/out")" "a 1
b 0" "... the next one gets the slot at the start"
given initially "$(thing b 1 "" "$(spec 1 v)")"
and event ADDED "$(thing a 2 "" "$(spec 1 v)")"
and event MODIFIED "$(thing b 3 "$(only)" "$(spec 1 v)")"
decided 0 "a throttle, and the annotation comes later"
is "$(jq -r '"\(.reconcile.primary.name) \(.items | length)"' "$T/out")" "b 1
b 0
a 1" "... the next one gets the slot then"

# A comparison looks at what would be done without the annotation.
sed -i '/throttle/d' "$T/watches.yaml"
mkdir -p "$T/new"
cp "$T/watches.yaml" "$T/new/"
sed 's/data: {k: .primary.spec.k}/data: {k: "new"}/' "$T/program.jq" >"$T/new/program.jq"
given initially "$(thing a 1 "$(only)" "$(spec 1 v)")"
runs 1 "--against: a primary that is only observed is compared" \
	ireconcile -f "$T/watches.yaml" --against "$T/new/watches.yaml" \
	--clock=input <"$T/in"
ok "... as it would be repaired" grep -q data.k "$T/out"

done_testing
