#!/bin/bash
# ireconcile: related objects that a primary names with their namespaces (map:
# {field: PATH, namespaceField: PATH}).
. "${0%/*}/lib.sh"
. t/ireconcile.sh

# watches SCOPE MEMBERS: of the Secret
watches() {
	cat >"$T/watches.yaml" <<-END
		- group: example.com
		  version: v1
		  kind: Thing
		  scope: $1
		  program: program.jq
		  related:
		  - {apiVersion: v1, kind: Secret, $2}
	END
}
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {related: (.related | map_values(map("\(.metadata.namespace)/\(.metadata.name)")))};
END
named() { thing "$1" "$2" "" "\"spec\":$3"; }
in_ns() { where=$1 object Secret "$2" "$3"; }
# shows WHAT WANT: what $T/in makes of it, each line as NAME SECRETS.
shows() {
	ireconcile -f "$T/watches.yaml" --clock=input --report-fd=4 \
		4>"$T/report" <"$T/in" >"$T/out" 2>"$T/err"
	is "$? $(<"$T/err")" "0 ${3:-}" "$1"
	is "$(jq -rc '"\(.reconcile.primary.name) \(.reconcile.status.related.Secret)"' \
		"$T/out")" "$2" "... what each primary sees"
	evaluations=$(jq -rs 'map(.counters.evaluations // empty) | last' \
		<(grep '^{' "$T/report"))
}

# ---- one path, beside another ----

watches Namespaced 'map: {field: ["spec.ref.name", "spec.refs[].name", "spec.many[].names[]"], namespaceField: ["spec.ref.namespace", "spec.refs[].namespace", "spec.many[].from"]}'
given in_ns ns one 1
and in_ns ops one 1
and in_ns ops two 1
and in_ns dev two 1
and named a 1 '{"ref":{"name":"one","namespace":"ops"}}'
and named b 1 '{"ref":{"name":"one"}}'
and named c 1 '{"ref":{"name":"one","namespace":null},"refs":[{"name":"two","namespace":""}]}'
and named d 1 '{"ref":{"name":"one","namespace":7},"refs":[{"name":"one","namespace":["ops"]},{"name":"one","namespace":{"a":"ops"}},{"name":"one","namespace":false}]}'
and named e 1 '{"refs":[{"name":"two","namespace":"dev"},{"name":"one"},{"namespace":"ops"},{"name":"two","namespace":"ops"},8]}'
and named f 1 '{"many":[{"from":"ops","names":["one","two","two"]},{"names":["one"]}]}'
and named g 1 '{"ref":{"name":"one","namespace":"none"}}'
and named h 1 '{"ref":{"name":"two\u0000","namespace":"dev"},"refs":[{"name":"two","namespace":"dev\u0000"},{"name":"","namespace":"dev"}]}'
shows "names and namespaces, in lists, absent, and of other types" \
	'a ["ops/one"]
b ["ns/one"]
c ["ns/one"]
d []
e ["dev/two","ns/one","ops/two"]
f ["ns/one","ops/one","ops/two"]
g []
h []'

watches Namespaced 'map: {field: "spec.ref.name", namespaceField: "spec.ref.namespace"}'
two() {
	initially
	event ADDED "$(named a 1 '{"ref":{"name":"one","namespace":"ops"}}')"
	event ADDED "$(named b 1 '{"ref":{"name":"one","namespace":"dev"}}')"
}
given two
and event ADDED "$(in_ns dev one 1)"
and event MODIFIED "$(in_ns dev one 2)"
and event ADDED "$(in_ns ns one 3)"
and event MODIFIED "$(named a 4 '{"ref":{"name":"one","namespace":"dev"}}')"
and event MODIFIED "$(in_ns ops one 5)"
and event MODIFIED "$(in_ns dev one 6)"
shows "the namespace in the primary changes" 'a []
b []
b ["dev/one"]
a ["dev/one"]'
is "$evaluations" 7 "... only primaries that name an object are evaluated"

# ---- a cluster-scoped primary ----

cluster() {
	named "$@" | sed 's/"namespace":"ns",//'
}
watches Cluster 'map: {field: "spec.ref.name", namespaceField: "spec.ref.namespace"}'
given in_ns ops one 1
and in_ns ns one 1
and cluster a 1 '{"ref":{"name":"one","namespace":"ops"}}'
and cluster b 1 '{"ref":{"name":"one"}}'
shows "a cluster-scoped primary names a namespace, or nothing" 'a ["ops/one"]
b []'

# ---- namespaces is a ceiling ----

watches Namespaced 'map: {field: "spec.names[].name", namespaceField: "spec.names[].in"}, namespaces: [ops, dev]'
given in_ns ops one 1
and in_ns prod one 1
and named a 1 '{"names":[{"name":"one","in":"ops"}]}'
and named b 1 '{"names":[{"name":"one","in":"prod"}]}'
and named c 1 '{"names":[{"name":"two","in":"prod"},{"name":"one","in":"ops"},{"name":"one","in":"ns"},{"name":"z","in":"x\u001b[1m"}]}'
said="names Secret prod/one, but $T/watches.yaml:7 watches the kind only in ops, dev: as if it did not exist"
several="names Secret ns/one (and 2 more), but $T/watches.yaml:7 watches the kind only in ops, dev: as if it did not exist"
shows "namespaces is a ceiling" 'a ["ops/one"]
b []
c ["ops/one"]' "ireconcile: warning: thing.example.com ns/b: $said
ireconcile: warning: thing.example.com ns/c: $several"
is "$(jq -rc '.reconcile.events // [] | map("\(.type) \(.reason) \(.message)")[]' "$T/out")" \
	"Warning NotWatched $said
Warning NotWatched $several" "... a name beyond it is told"

done_testing
