#!/bin/bash
# Events and statuses that kapply writes for users: how often, and that they
# contain nothing but text for a terminal.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

apply() {
	kapply --server "$url" --timeout=20s "$@" <"$T/in"
}
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
	apply --fail-after=1ms
is "$(requests | sort | uniq -c | sed 's/^ *//')" "1 PATCH a
4 PATCH b" "... as often"
is "$(events | sed 's/cannot apply ConfigMap//' | sort)" \
	"PATCH 2 -  default/b: ServiceUnavailable
PATCH 3 -  default/b: ServiceUnavailable
POST 1 FailedApply  default/a: BadRequest
POST 1 FailedApply  default/b: ServiceUnavailable" \
	"... and each try is an Event, or counted in one"

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
is "$(cat "$T/err")" "kapply: error: thing.example.com default/t: ConfigMap/default/a refused: $seen" \
	"... and in the log"

# --- so are those in the name of a field manager
given manager-text
runs 0 "who changes it back" apply
is "$(jq -r .status.by "$T/out")" "$seen" "... is such a line in a status"
is "$(events)" "POST 1 RepairLoop ConfigMap default/a: .data.k is changed back again and again by $seen" \
	"... and in an Event"
done_testing
