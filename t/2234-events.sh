#!/bin/bash
# ireconcile: reconcile.because.events, the events behind a line; and how many
# fields of an item are told.
. "${0%/*}/lib.sh"
. "${0%/*}/ireconcile.sh"
write_program
sed -i 's/^  program:/  reconcilePeriod: 1m\n&/' "$T/watches.yaml"

# events: of each line, without the members that all events here have
events() {
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>"$T/err" |
		jq -c '.reconcile.because | [.events, .moreEvents] |
			map(values | if type == "array" then
				map(del(.apiVersion, .namespace)) else . end)'
}
changed() { # OBJECT MANAGER TIME
	printf '{"type":"MODIFIED","time":"%s","object":%s,"manager":"%s"}\n' \
		"$3" "$1" "$2"
}
{
	begin_all
	event ADDED "$(thing a 1 "" "$(spec 1 v)")" 2026-01-01T00:00:00Z
	end_all
	event ADDED "$(observed a-0 a v 2)"
	changed "$(observed a-0 a other 4)" editor 2026-01-01T00:00:05.5Z
	event MODIFIED "$(thing a 5 "" "$(spec 2 v)")"
	thing a 6 "" "$(spec 3 v)"
} >"$T/in"
events >"$T/got"
cat >"$T/want" <<'END'
[]
[[{"type":"ADDED","kind":"ConfigMap","name":"a-0","resourceVersion":"2"}]]
[[{"type":"MODIFIED","kind":"ConfigMap","name":"a-0","resourceVersion":"4","manager":"editor","time":"2026-01-01T00:00:05.5Z"}]]
[[{"type":"MODIFIED","kind":"Thing","name":"a","resourceVersion":"5"}]]
[[{"type":"ADDED","kind":"Thing","name":"a","resourceVersion":"6"}]]
END
same "$T/got" "$T/want" "each line has the event that made it; the start has none"

# A timer.
{
	begin_all
	event ADDED "$(thing a 1 "" "$(spec 1 v)")" 2026-01-01T00:00:00Z
	end_all
	tick 02:00
} >"$T/in"
is "$(events | sed -n 2p)" '[[{"timer":"a deadline"}]]' "a timer"

# Several since the last evaluation; not more than eight are told. A kind that
# is not complete holds evaluations back.
{
	begin_all
	event ADDED "$(thing a 1 "" "$(spec 1 v)")" 2026-01-01T00:00:00Z
	end_all
	event ADDED "$(observed a-0 a v 2)"
	for i in 1 2 3 4 5 6 7 8 9 10 11; do
		changed "$(observed a-0 a x "1$i")" editor 2026-01-01T00:00:05Z
	done
} >"$T/in"
# Without --clock=input all that is there is read before it is decided.
ireconcile -f "$T/watches.yaml" <"$T/in" 2>"$T/err" | tail -n 1 |
	jq -c '.reconcile.because | [(.events | length), .moreEvents,
		.events[0].resourceVersion]' >"$T/got"
is "$(<"$T/got")" '[8,4,"2"]' "eight events are told, the others are counted"

# Fields.
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "Pod", metadata: {name: "p"},
	spec: ([range(.primary.spec.n) | {"f\(.)": 1}] | add)}];
END
sed -i 's/kind: Pod, map.*/kind: Pod, manage: true}/' "$T/watches.yaml"
differs() {
	{
		thing a 1 "" "\"spec\":{\"n\":$1}"
		object Pod p 2 "$(owner a)" '"spec":{"f1":1}'
	} | ireconcile -f "$T/watches.yaml" |
		jq -c '.reconcile.because.items["Pod/ns/p"]
			| [(.differs | length), .differs[0], .moreDiffers]'
}
is "$(differs 3)" '[2,{"path":".spec.f0","observed":"nothing","wanted":"1"},null]' \
	"all fields that differ"
is "$(differs 12)" '[8,{"path":".spec.f0","observed":"nothing","wanted":"1"},3]' \
	"... eight of them; the others are counted"
done_testing
