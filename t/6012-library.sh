#!/bin/bash
# doc/library.md is true: its examples are run. A row of its tables is
# FUNCTION | what it gives | EXAMPLE | RESULT; in them | is written \|.
. "${0%/*}/lib.sh"
export TZDIR=$PWD/t/unit/ireconcile/crontab/zoneinfo

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
END
sed -n 's/^| `[a-z]/&/p' doc/library.md | sed 's/\\|/\x01/g' |
	awk -F'|' '{ print $4 "\t" $5 }' |
	sed 's/\x01/|/g; s/ *` *//g' >"$T/rows"
count=$(wc -l <"$T/rows")
ok "there are examples" test "$count" -gt 4

{
	echo 'include "operator"; def desired: [];'
	echo 'def status: {r: ['
	cut -f 1 "$T/rows" | sed 's/.*/(try (&) catch .)/; $!s/$/,/'
	echo ']};'
} >"$T/program.jq"
thing='{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t",
	"namespace":"a","uid":"u","resourceVersion":"1","generation":3}}'
echo "$thing" | ireconcile -f "$T/watches.yaml" --clock=input --all \
	>"$T/lines" 2>"$T/err"
is "$(<"$T/err")" "" "no complaints"
jq -cS '.reconcile.status.r[]' "$T/lines" | paste <(cut -f 1 "$T/rows") - \
	>"$T/got"
cut -f 2 "$T/rows" | jq -cS . | paste <(cut -f 1 "$T/rows") - >"$T/want"
same "$T/got" "$T/want" "each example gives its result"

# Every function that a program may call has its place on the page, but those that
# programs of charts call (doc/helm.md).
sed -nE 's/^def ([a-z][a-z0-9_]*)(\(([^)]*)\))?:.*/\1\2/p' lib/jq/*.jq |
	grep -v '^h_' | sort >"$T/public"
ok "there are functions" test "$(wc -l <"$T/public")" -gt 40
is "$(while read -r def; do
	grep -qF "\`$def\`" doc/library.md || echo "$def"
done <"$T/public")" "" "each is on the page"

# An error of a schedule is for the user who wrote it.
echo 'include "operator";
def desired: [cron_next(.primary.spec.schedule; 0; "UTC")];' >"$T/program.jq"
echo "$thing" | jq -c '.spec.schedule = "61 * * * *"' |
	ireconcile -f "$T/watches.yaml" --clock=input >/dev/null 2>"$T/err"
is "$(<"$T/err")" 'ireconcile: error: thing.example.com a/t: schedule "61 * * * *": minute 61 is above 59' \
	"an error of a schedule has the text that a user needs"
done_testing
