#!/bin/bash
# ireconcile: a line that makes again what was there and is gone, or what was
# asked for and did not come, says so.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
# says WANT WHAT: for each line, whether it says so; its items
says() {
	runs 0 "$2" ireconcile -f "$T/watches.yaml" --clock=input <"$T/in"
	is "$(jq -r '"\(.reconcile.again // "-")\(.items | map(" " + .metadata.name) | add // "")"' \
		"$T/out" | paste -sd,)" "$1" "... again"
}
gone() {
	event DELETED "$(observed "$1" a v 5)"
}

given initially "$(thing a 1 "" "$(spec 1 v)")"
says "- a-0" "a first creation"
and tick 00:09
says "- a-0" "... until it is seen"
and tick 00:11
says "- a-0,true a-0" "... which it was not for ten seconds"
given initially "$(thing a 1 "" "$(spec 1 v)")" "$(observed a-0 a v 4)"
and gone a-0
says "-,true a-0" "one that was there is gone"
and event MODIFIED "$(thing a 6 "" "$(spec 1 w)")"
says "-,true a-0,true a-0" "... and it is another one by now"
and event MODIFIED "$(thing a 7 "" "$(spec 2 w)")"
says "-,true a-0,true a-0,true a-0 a-1" "... or not the only one"
given initially "$(thing a 1 "" "$(spec 1 v)")" "$(observed a-0 a v 4)"
and event MODIFIED "$(thing a 6 "" "$(spec 2 v)")"
says "-,- a-1" "another one is made for the first time"
given initially "$(thing a 1 "" "$(spec 1 v)")" "$(observed a-0 a v 4)"
and event MODIFIED "$(thing a 6 "" "$(spec 1 w)")"
says "-,- a-0" "one is changed"

# The primary is leaving: what its program still makes is not asked about.
cat >>"$T/program.jq" <<'END'
def finalize: {items: desired, done: false};
END
sed -i '/^  program:/a\  finalizer: e/f' "$T/watches.yaml"
given initially "$(thing a 1 "\"finalizers\":[\"e/f\"]" "$(spec 1 v)")" \
	"$(observed a-0 a v 4)"
and event MODIFIED "$(thing a 6 "\"finalizers\":[\"e/f\"],$dying" "$(spec 1 v)")"
and gone a-0
says "-,- a-0" "the primary is leaving"
done_testing
