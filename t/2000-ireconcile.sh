#!/bin/bash
# ireconcile: when a line is printed, and what it says.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program

# Nothing exists: everything is outstanding.
initially "$(thing a 1 "" "$(spec 2 v)")" >"$T/new"
line "$(configmap a-0 a v),$(configmap a-1 a v)" a 1 \
	"$(known a-0 null a-1 null),$(status true),$(on_error)" >"$T/new.want"
cp "$T/new" "$T/in"
cp "$T/new.want" "$T/want"
replay 0 "a new primary: one line with all of it"

# Objects are created; after the last one another status is due.
{
	cat "$T/new"
	event ADDED "$(observed a-0 a v 2)"
	event MODIFIED "$(thing a 3 "" "$(spec 2 v),$(status true)")"
	event ADDED "$(observed a-1 a v 4)"
	event MODIFIED "$(thing a 5 "" "$(spec 2 v),$(status false)")"
} >"$T/all"
cp "$T/all" "$T/in"
want cat "$T/new.want"
also line "" a 3 "$(status false)"
replay 0 "what is observed is not said again"

# Converged at the start: nothing is printed.
initially "$(thing a 5 "" "$(spec 2 v),$(status false)")" \
	"$(observed a-0 a v 2)" "$(observed a-1 a v 4)" >"$T/converged"
cp "$T/converged" "$T/in"
silent 0 "converged is silent"

line "$(configmap a-0 a v),$(configmap a-1 a v)" a 5 \
	"$(known a-0 uid-a-0 a-1 uid-a-1),$(status false)" >"$T/want"
replay 0 "--all: whole sets" --all

# Drift, twice: each is repaired. Events that change nothing print nothing.
given cat "$T/converged"
and event MODIFIED "$(observed a-0 a drift 6)"
and event MODIFIED "$(observed a-0 a drift 7 '"generation":3')"
and event MODIFIED "$(observed a-0 a v 8)"
and event MODIFIED "$(observed a-0 a v 8)"
and event MODIFIED "$(observed a-0 a drift 9)"
drift() { # MEMBERS of its reason
	line "$(configmap a-0 a v)" a 5 \
		"$(known a-0 uid-a-0),$(status true),$(on_error),$(because a-0 "$1")"
}
{
	drift "$repaired"
	# A status that was requested is no longer desired.
	line "" a 5
	drift "$repaired"
} >"$T/want"
replay 0 "drift is repaired each time"

# Deleted by hand: created again. Recreated by another client: not ours.
given cat "$T/converged"
and event DELETED "$(observed a-0 a v 6)"
line "$(configmap a-0 a v)" a 5 \
	"$(known a-0 null),$(status true),$(on_error),$(because a-0 '"gone":true')" \
	>"$T/want"
replay 0 "a deleted item is made again"

given cat "$T/converged"
and event DELETED "$(observed a-0 a v 6)"
and event ADDED "$(object ConfigMap a-0 7 "" '"data":{"k":"v"}')"
replay 0 "an object of that name without our marks is not ours"

# A desired field was dropped while ireconcile did not run: the digest differs.
initially "$(thing a 5 "" "$(spec 1 v),$(status false)")" \
	"$(observed a-0 a v 2 | sed "s/$PATHS/another/")" >"$T/in"
drift '"differs":[{"path":".metadata.annotations[\"kpipe.dev/paths\"]"}],"version":"2"' >"$T/want"
replay 0 "fields that are no longer desired: applied again"

# The spec changes: the newest line is complete; what is no longer desired is
# cancelled, or deleted if it exists.
given cat "$T/new"
and event MODIFIED "$(thing a 2 "" "$(spec 2 w)")"
and event MODIFIED "$(thing a 3 "" "$(spec 0 w),$(status true)")"
and event ADDED "$(observed a-1 a w 4)"
and event DELETED "$(observed a-1 a w 5)"
want cat "$T/new.want"
also line "$(configmap a-0 a w),$(configmap a-1 a w)" a 2 \
	"$(known a-0 null a-1 null),$(status true),$(on_error)"
also line "" a 3 "$(status false)"
also line "" a 3 '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"ns","name":"a-1","uid":"uid-a-1"}],'"$(on_error)"
also line "" a 3 "$(status false)"
replay 0 "a changed spec"

# The primary is deleted while something is outstanding: an empty line cancels.
given cat "$T/new"
and event DELETED "$(thing a 1 "" "$(spec 2 v)")"
want cat "$T/new.want"
also line "" a 1
replay 0 "a primary that is gone is cancelled"

# Another object of the same name: DELETED, then ADDED.
given cat "$T/converged"
and event ADDED "$(thing a 9 "" "$(spec 1 v)" | sed 's/uid-a"/uid-new"/')"
{
	creates a 9
} | sed 's/"uid-a"/"uid-new"/g' >"$T/want"
replay 0 "a primary that was created again owns nothing of the old one"

# Two primaries: sorted by name at the start, later in the order of events.
given initially "$(thing b 2 "" "$(spec 0 v)")" \
	"$(thing a 1 "" "$(spec 0 v)")"
and event MODIFIED "$(thing b 3 "" "$(spec 1 v),$(status false)")"
and event MODIFIED "$(thing a 4 "" "$(spec 1 v),$(status false)")"
want line "" a 1 "$(status false)"
also line "" b 2 "$(status false)"
also creates b 3
also creates a 4
replay 0 "order"

# The same file gives the same output, with the real clock too.
runs 0 "the real clock: exit code" \
	ireconcile -f "$T/watches.yaml" <"$T/new"
hide_paths "$T/out" >"$T/got"
same "$T/got" "$T/new.want" "the real clock: the same line"


# Deleted and created again between two evaluations: nothing was requested for
# the new one.
again() { thing a "$1" "" "$(spec 0 v)" | sed "s/uid-a/uid-$2/"; }
given initially "$(again 1 first)"
and event MODIFIED "$(again 2 second)"
and event MODIFIED "$(again 3 second)"
{
	line "" a 1 "$(status false)" | sed 's/uid-a/uid-first/'
	line "" a 2 "$(status false)" | sed 's/uid-a/uid-second/'
} >"$T/want"
replay 0 "a successor is told what its predecessor was"

done_testing
