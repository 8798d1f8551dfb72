#!/bin/bash
# doc/protocol.md is true: its examples are extracted, run and compared.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# example NAME: all lines of the blocks "```json NAME"
example() {
	sed -n "/^\`\`\`json $1\$/,/^\`\`\`\$/{/^\`\`\`/d;p;}" doc/protocol.md
}

# count NAME FILTER WHAT: each line of these examples passes the jq filter.
count() {
	example "$1" >"$T/lines"
	ok "there are examples of \"$1\"" test -s "$T/lines"
	is "$(jq -c "select($2 | not)" "$T/lines" 2>&1)" "" "... $3"
}

cat >"$T/watches.yaml" <<'EOF'
- group: example.com
  version: v1
  kind: Thing
  program: thing.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
EOF
cat >"$T/thing.jq" <<'EOF'
def desired: [{
    apiVersion: "v1", kind: "ConfigMap", metadata: {name: "a"}, data: {k: "v"}}];
def status:
    if .error then {phase: "Failed", reason: .error}
    elif .outstanding == [] then {phase: "Available"}
    else {phase: "Processing"} end;
EOF
thing='{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"default","uid":"91ab","resourceVersion":"12","generation":1}}'

unknown=$(sed -n 's/^```json //p' doc/protocol.md |
	grep -vxE 'event|set|because|status|result|report|state')
is "$unknown" "" "every example is of a known sort"
is "$(grep -c '^```json$' doc/protocol.md)" 0 "... none without"

count event '(.type | IN("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"))
	and (.object | has("apiVersion") and has("kind"))' \
	"each is a watch frame with apiVersion and kind"
runs 0 "ireconcile accepts them all" \
	ireconcile -f "$T/watches.yaml" <"$T/lines"
is "$(cat "$T/out" "$T/err")" "" "... and says nothing"

count set '.kind == "List" and .apiVersion == "v1" and
	(.reconcile | has("primary") and has("manager"))' \
	"each is a List with reconcile.primary and .manager"
cp "$T/lines" "$T/want"
echo "{\"type\":\"ADDED\",\"object\":$thing}" >"$T/events"
runs 0 "ireconcile prints the example" \
	ireconcile -f "$T/watches.yaml" --report-fd=4 \
	<"$T/events" 4>"$T/report"
same "$T/out" "$T/want" "... to the byte"
echo "$thing" >"$T/bare"
ireconcile -f "$T/watches.yaml" <"$T/bare" >"$T/out"
same "$T/out" "$T/want" "... also for a bare object"
echo "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[$thing]}" >"$T/list"
ireconcile -f "$T/watches.yaml" <"$T/list" >"$T/out"
same "$T/out" "$T/want" "... and for a List"

# The members that are printed are those of the table, no more and no less.
documented=$(sed -n 's/^| `\([a-zA-Z]*\)` |.*/\1/p' doc/protocol.md | sort)
for member in $(jq -r '.reconcile | keys[]' "$T/want"); do
	ok "reconcile.$member is documented" \
		grep -qx "$member" <<<"$documented"
done

count because '(.events | all(has("type") or has("timer"))) and
	(.items | all(has("differs") or has("gone")))' \
	"each has events and items"

is "$(head -n 1 "$T/report")" "" "a report begins with a newline when ready"
is "$(sed 1d "$T/report" | jq -c 'select(
	(.tool == "ireconcile" and (.counters // .metrics | type) == "object")
	| not)')" "" "... then lines of counters and metrics"

# A key is a row of a table in lib/conf, and a word of doc/watches.md.
sed -n '/^static const struct entry_key keys/,/^};/s/^ *{"\([^"]*\)".*/\1/p' \
	lib/conf/*.c >"$T/keys"
ok "there are keys of watches.yaml" test -s "$T/keys"
is "$(while read -r key; do
	grep -qE "^\|.*\`$key\`.*\|" doc/watches.md || echo "$key"
done <"$T/keys")" "" "... each has a row in doc/watches.md"

count status '[keys, (.metadata | keys)] ==
	[["apiVersion","kind","metadata","status"], ["name","namespace","uid"]]' \
	"each is an object with nothing but identity and status"
count result '(.result | IN("created", "configured", "unchanged", "deleted",
	"failed", "written", "dropped")) and (has("message") == (.result == "failed"))' \
	"each has one of the results, a failed one a message"

count report '(.tool | type) == "string" and (keys | length) == 2' \
	"each names its tool and holds one member more"
count state '.tool == "kpipe" and (.stages | length) > 3 and
	(.phase | IN("running", "stopping", "waiting", "draining"))' \
	"each says how the pipeline stands"

done_testing
