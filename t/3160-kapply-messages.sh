#!/bin/bash
# Events and statuses that kapply writes for users: how often, and that they
# contain nothing but text for a terminal.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"

# events: METHOD COUNT REASON MESSAGE of each that was sent
events() {
	sed -n -E 's,^([A-Z]+) [^ ]*/events[^ ]* (.*),\1 \2,p' "$T/requests" |
		while read -r method body; do
			printf '%s %s\n' "$method" "$(jq -r \
				'"\(.count) \(.reason // "-") \(.message)"' <<<"$body")"
		done
}
known='"known":{"ConfigMap/default/a":"u2","ConfigMap/default/b":"u3"}'

# --- an Event for each try that failed, and no more
refused=$(failure 400 BadRequest bad)
later=$(failure 503 ServiceUnavailable later)
serve "{\"PATCH $CMS/a\":[$refused],\"PATCH $CMS/b\":[$later,$later,$later]}"
set_line "$(cm a 1),$(cm b 1)" "$known" >"$T/in"
runs 1 "one item is refused, another one tried three times" \
	apply --fail-after=0s
is "$(requests | sort | paste -sd,)" "PATCH a,PATCH b,PATCH b,PATCH b,PATCH b" \
	"... as often"
is "$(events | sed 's/cannot apply ConfigMap//' | sort)" \
	"PATCH 2 -  default/b: ServiceUnavailable
PATCH 3 -  default/b: ServiceUnavailable
POST 1 FailedApply  default/a: BadRequest
POST 1 FailedApply  default/b: ServiceUnavailable" \
	"... and each try is an Event, or counted in one"

# --- with the reason why it is written, the same for each try
# because DIFFERENCE: of ConfigMap b, and of Thing q
because() {
	printf '"because":{"events":[{"type":"MODIFIED","apiVersion":"v1","kind":"Pod","namespace":"ns","name":"p","resourceVersion":"7"}],"items":{"ConfigMap/default/b":{"differs":[%s]},"Thing.example.com/default/q":{"differs":[%s]}}}' \
		"$1" "$1"
}
difference='{"path":".data.k","observed":"\"hunter2\"","wanted":"\"hunter3\""}'
other='{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"default","name":"q","ownerReferences":[{"apiVersion":"example.com/v1","controller":true,"kind":"Thing","name":"t","uid":"u1"}]}}'
known_other='"known":{"Thing.example.com/default/q":"u4"}'
serve "{\"PATCH $CMS/a\":[$refused],\"PATCH $CMS/b\":[$later,$later]}"
set_line "$(cm a 1),$(cm b 1)" "$known,$(because "$difference")" >"$T/in"
runs 1 "what is refused, with reasons" apply --fail-after=1ms
is "$(events | sed 's/cannot apply ConfigMap//' | sort)" \
	"PATCH 2 -  default/b: ServiceUnavailable (.data.k differs)
POST 1 FailedApply  default/a: BadRequest
POST 1 FailedApply  default/b: ServiceUnavailable (.data.k differs)" \
	"... the field is in the Event; no event, which each line may have another of"
serve "{\"PATCH $THINGS/q\":[$later,$later]}"
set_line "$other" "$known_other,$(because "$difference")" >"$T/in"
runs 0 "... of another kind" apply --fail-after=1ms
is "$(events | sed -n 's,.*default/q: ,,p' | sort -u)" \
	'later (.data.k "hunter2", wanted "hunter3")' \
	"... has its values, too"
long=$(printf '%0900d' 0)
serve "{\"PATCH $THINGS/q\":[$(failure 400 BadRequest "$long")]}"
set_line "$other" "$known_other,$(because "{\"path\":\".$long\"}")" >"$T/in"
runs 1 "a long message, a long path" apply
is "$(events | sed -E 's/0+/0/g; s/.* (cannot)/\1/')" \
	"cannot apply Thing.example.com default/q: 0 (.0...)" "... both are cut"
is "$(events | tr -cd 0 | wc -c)" "$((658 + 255))" "... and fit in an Event"

# --- characters that are invisible or move the cursor are escaped
# shellcheck disable=SC1003
seen='a\x1b[31m\nb\u202e\u0085c\u200b é'
given event-text
runs 0 "an Event of a program" apply
is "$(events)" "POST 1 So\\x1b $seen" "... holds one line of visible text"
given refused-text
runs 1 "what a filter said" apply
is "$(jq -r .status.reason "$T/out")" "ConfigMap/default/a refused: $seen" \
	"... is such a line in a status"
is "$(events)" "POST 1 FailedApply ConfigMap/default/a refused: $seen" \
	"... in an Event"
is "$(<"$T/err")" "kapply: error: thing.example.com default/t: ConfigMap/default/a refused: $seen" \
	"... and in the log"

# --- so are those in the name of a field manager
given manager-text
runs 0 "who changes it back" apply
is "$(jq -r .status.by "$T/out")" "$seen" "... is such a line in a status"
is "$(events)" "POST 1 RepairLoop ConfigMap default/a: .data.k is changed back again and again, last by $seen" \
	"... and in an Event"
done_testing
