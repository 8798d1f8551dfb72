#!/bin/bash
# ireconcile: when an object that was in the way of an item goes, its primary has
# a line that says so; not more often than once a second.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=ireconcile.sh
. t/ireconcile.sh
write_program

# foreign TYPE MM:SS [NAME [UID]]: an event of an object without owner
foreign() {
	local object

	object=$(object ConfigMap "${3:-a-0}" 5)
	event "$1" "${object/uid-/${4:-foreign-}}" "2026-01-01T00:$2Z"
}
# wanted [N]: the Thing a, which desires so many ConfigMaps
wanted() {
	thing a "${2:-1}" "" "$(spec "${1:-1}" v)"
}
# lines WHAT: those that $T/in gives: names of items, and what is vacated
lines() {
	runs 0 "$1" ireconcile -f "$T/watches.yaml" --clock=input <"$T/in"
	jq -c '[[.items[].metadata.name], .reconcile.vacated]' "$T/out" >"$T/got"
}

{
	begin_all
	event ADDED "$(wanted)" 2026-01-01T00:00:00Z
	foreign ADDED 00:00
	foreign ADDED 00:00 other
	end_all
	foreign MODIFIED 00:01
	foreign DELETED 00:02 other
	foreign DELETED 00:03
	foreign ADDED 00:04
	foreign DELETED 00:05
} >"$T/in"
lines "an object that is in the way goes"
is "$(<"$T/got")" '[["a-0"],null]
[["a-0"],["ConfigMap/ns/a-0"]]
[["a-0"],["ConfigMap/ns/a-0"]]' "... a line says so, each time"

{
	begin_all
	event ADDED "$(wanted)" 2026-01-01T00:00:00Z
	end_all
	foreign ADDED 00:01
	foreign DELETED 00:02
	event ADDED "$(observed a-0 a v 7)" 2026-01-01T00:00:03Z
	event DELETED "$(observed a-0 a v 7)" 2026-01-01T00:00:04Z
} >"$T/in"
lines "one that came behind the line"
is "$(sed -n 2p "$T/got")" '[["a-0"],["ConfigMap/ns/a-0"]]' "... is noticed"
is "$(tail -n 1 "$T/got")" '[["a-0"],null]' "... a member is not in the way"

{
	begin_all
	event ADDED "$(wanted)" 2026-01-01T00:00:00Z
	foreign ADDED 00:00
	end_all
	foreign ADDED 00:01 a-0 second-
	foreign DELETED 00:02 a-0 second-
} >"$T/in"
lines "one that another one replaces"
is "$(<"$T/got")" '[["a-0"],null]
[["a-0"],["ConfigMap/ns/a-0"]]' "... a line when that goes"

{
	begin_all
	event ADDED "$(wanted)" 2026-01-01T00:00:00Z
	foreign ADDED 00:00
	end_all
	event MODIFIED "$(wanted 0 2)" 2026-01-01T00:00:01Z
	foreign DELETED 00:02
	foreign ADDED 00:03
	event MODIFIED "$(wanted 1 3)" 2026-01-01T00:00:04Z
	event DELETED "$(wanted 1 3)" 2026-01-01T00:00:05Z
	foreign DELETED 00:06
} >"$T/in"
lines "an item that is not desired any more, or whose primary is gone"
is "$(grep -c ConfigMap/ns "$T/got")" 0 "... is not asked for"

# The primary of one is in the way of another one's item.
{
	begin_all
	event ADDED "$(wanted)" 2026-01-01T00:00:00Z
	event ADDED "$(observed a-0 b v 7)"
	end_all
	event DELETED "$(observed a-0 b v 7)" 2026-01-01T00:00:01Z
} >"$T/in"
lines "another primary's member is in the way"
is "$(tail -n 1 "$T/got")" '[["a-0"],["ConfigMap/ns/a-0"]]' \
	"... a line when it goes"

# A client that makes and deletes it all the time
{
	begin_all
	event ADDED "$(wanted)" 2026-01-01T00:00:00Z
	end_all
	for n in {0..8}; do
		both=$(foreign ADDED "00:0$n" && foreign DELETED "00:0$n")
		for _ in {1..50}; do echo "$both"; done
	done
	tick 00:09
} >"$T/in"
lines "450 that come and go in 9 s"
is "$(grep -c ConfigMap/ns "$T/got")" 14 "... five lines, then one a second"
is "$(tail -n 1 "$T/got")" '[["a-0"],["ConfigMap/ns/a-0"]]' \
	"... the last one as well, when none is there"
done_testing
