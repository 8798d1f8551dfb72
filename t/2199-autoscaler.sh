#!/bin/bash
# The program of doc/program.md that leaves the replicas to an autoscaler: a
# scale is never undone, and no field is dropped.
. "${0%/*}/lib.sh"

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Web
  program: program.jq
  desiredReads: [owned]
  dependents:
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
END
awk '/^\*\*A field that an autoscaler sets/ { in_it = 1 }
	in_it && /^```$/ { exit }
	code { print }
	in_it && /^```jq$/ { code = 1 }' doc/program.md >"$T/program.jq"
ok "the page has the program" grep -q "def replicas" "$T/program.jq"
web() { # SPEC [STATUS]
	printf '{"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"1"},"spec":%s%s}\n' \
		"$1" "${2:+,\"status\":$2}"
}
# made SPEC: the Deployment as it is created for it
made() {
	web "$1" | ireconcile -f "$T/watches.yaml" |
		jq -c '.items[0] | .metadata.uid = "u2" | .metadata.resourceVersion = "5"'
}
# wants SPEC REPLICAS: what is written if the Deployment has so many
wants() {
	{
		web "$1" "{\"replicas\":$2}"
		made '{"replicas":3}' | jq -c ".spec.replicas = $2"
	} | ireconcile -f "$T/watches.yaml" | jq -c '.items[].spec.replicas'
}
is "$(made '{"replicas":3,"autoscaling":{}}' | jq .spec.replicas)" 3 \
	"there is no Deployment yet: the program's number"
is "$(wants '{"replicas":3,"autoscaling":{}}' 7)" "" \
	"the autoscaler has scaled: nothing is written"
is "$(wants '{"replicas":3,"autoscaling":{}}' 0)" "" "... not even if to 0"
is "$(wants '{"replicas":3}' 7)" 3 "without one the program's number counts"
done_testing
