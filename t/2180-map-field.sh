#!/bin/bash
# ireconcile: related objects that a primary names in its fields (map: {field:
# PATH}): only these are shown, and only the primaries that name an object are
# evaluated when it changes.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  related:
  - {apiVersion: v1, kind: Secret, map: {field: ["spec.ref.name", "spec.refs[].name"]}}
  - {apiVersion: v1, kind: ConfigMap, map: {field: 'metadata.annotations["example.com/config"]', namespace: ops}}
  - {apiVersion: v1, kind: Node, map: {field: "spec.nodes[]"}}
END
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {related: (.related | map_values(map("\(.metadata.namespace // "")/\(.metadata.name)")))};
END
# named NAME RV SPEC [CONFIG]: a Thing
named() {
	thing "$1" "$2" "${4:+\"annotations\":{\"example.com/config\":\"$4\"\}}" \
		"\"spec\":$3"
}
complete() {
	initially
}
in_ops() { where=ops object "$@"; }
node() {
	printf '{"apiVersion":"v1","kind":"Node","metadata":{"name":"%s","uid":"%s","resourceVersion":"%s"}}' \
		"$1" "$1" "$2"
}
# shows WHAT WANT: what $T/in makes of it, each line as NAME RELATED; and the
# number of evaluations is in $evaluations.
shows() {
	ireconcile -f "$T/watches.yaml" --clock=input --report-fd=4 \
		4>"$T/report" <"$T/in" >"$T/out" 2>"$T/err"
	is "$? $(<"$T/err")" "0 " "$1"
	is "$(jq -rc '"\(.reconcile.primary.name) \(.reconcile.status.related)"' \
		"$T/out")" "$2" "... what each primary sees"
	evaluations=$(jq -rs 'map(.counters.evaluations // empty) | last' \
		<(grep '^{' "$T/report"))
}

given object Secret one 1
and object Secret two 1
and object Secret three 1
and in_ops Secret one 1
and in_ops ConfigMap c 1
and object ConfigMap c 1
and node n1 1
and node n2 1
and named a 1 '{"ref":{"name":"one"},"refs":[{"name":"two"},{"name":"one"},{"x":1},7],"nodes":["n2","none"]}' c
and named b 1 '{"ref":"three","refs":{"name":"one"},"nodes":"n1"}'
and named c 1 '{"ref":{"name":"missing"},"nodes":[]}'
and named d 1 '{"ref":{"name":null},"refs":[null,5,"one",{"name":null},{"name":true},{"name":["one"]},[{"name":"one"}],{"name":""},{"name":{"name":"one"}}],"nodes":[["n1"],null,3,{"n1":"n1"},""]}'
and named e 1 '{"ref":null,"refs":null,"nodes":null}'
and named f 1 '{"ref":{"name":"one"},"refs":[{"name":"one"},{"name":"one"}],"nodes":["n1","n1"]}'
shows "names by a field, in lists, and of other types" \
	'a {"ConfigMap":["ops/c"],"Node":["/n2"],"Secret":["ns/one","ns/two"]}
b {"ConfigMap":[],"Node":[],"Secret":[]}
c {"ConfigMap":[],"Node":[],"Secret":[]}
d {"ConfigMap":[],"Node":[],"Secret":[]}
e {"ConfigMap":[],"Node":[],"Secret":[]}
f {"ConfigMap":[],"Node":["/n1"],"Secret":["ns/one"]}'

# 50 primaries, of which one names the Secret that changes.
fifty() {
	complete
	for ((i = 0; i < 50; i++)); do
		event ADDED "$(named "t$i" 1 "{\"ref\":{\"name\":\"s$i\"}}")"
		event ADDED "$(object Secret "s$i" 1)"
	done
}
fifty >"$T/in"
shows "primaries and what they name" "$(for ((i = 0; i < 50; i++)); do
	echo "t$i {\"ConfigMap\":[],\"Node\":[],\"Secret\":[]}"
	echo "t$i {\"ConfigMap\":[],\"Node\":[],\"Secret\":[\"ns/s$i\"]}"
done)"
before=$evaluations
given fifty
for ((rv = 2; rv < 12; rv++)); do
	and event MODIFIED "$(object Secret s7 "$rv")"
done
and event MODIFIED "$(object Secret unnamed 12)"
and event MODIFIED "$(in_ops Secret s8 13)"
ireconcile -f "$T/watches.yaml" --clock=input --report-fd=4 4>"$T/report" \
	<"$T/in" >"$T/out" 2>"$T/err"
after=$(jq -rs 'map(.counters.evaluations // empty) | last' \
	<(grep '^{' "$T/report"))
is "$((after - before))" 10 \
	"ten changes of a Secret evaluate the primary that names it, and no other"

# The name in the primary changes; the object comes and goes.
given complete
and event ADDED "$(named a 1 '{"ref":{"name":"one"}}')"
and event ADDED "$(object Secret one 1)"
and event ADDED "$(object Secret two 1)"
and event MODIFIED "$(named a 2 '{"ref":{"name":"two"}}')"
and event MODIFIED "$(object Secret one 2)"
and event DELETED "$(object Secret two 3)"
and event ADDED "$(object Secret two 4)"
none='"ConfigMap":[],"Node":[]'
shows "the name changes" "a {$none,\"Secret\":[]}
a {$none,\"Secret\":[\"ns/one\"]}
a {$none,\"Secret\":[\"ns/two\"]}
a {$none,\"Secret\":[]}
a {$none,\"Secret\":[\"ns/two\"]}"
is "$evaluations" 5 "... the old name means nothing any more"

# A primary that is gone, and comes again.
given complete
and event ADDED "$(object Secret one 1)"
and event ADDED "$(named a 1 '{"ref":{"name":"one"}}')"
and event DELETED "$(named a 1 '{"ref":{"name":"one"}}')"
and event MODIFIED "$(object Secret one 2)"
and event ADDED "$(named a 3 '{"ref":{"name":"one"}}')"
and event MODIFIED "$(object Secret one 4)"
shows "a primary that comes again" "a {$none,\"Secret\":[\"ns/one\"]}
a {$none,\"Secret\":[\"ns/one\"]}"

# ---- errors ----

related() { # MEMBERS [SCOPE]
	cat >"$T/watches.yaml" <<-END
		- group: example.com
		  version: v1
		  kind: Thing
		  program: program.jq
		  ${2:-scope: Namespaced}
		  related:
		  - {apiVersion: v1, kind: Secret, $1}
	END
}
refused() { # WHAT MESSAGE
	runs 100 "$1" ireconcile -f "$T/watches.yaml" </dev/null
	is "$(<"$T/err")" "ireconcile: fatal: $T/watches.yaml:7: $2" \
		"... message"
}
related 'map: {field: .spec.a}'
refused "a path of jq" 'map.field: bad field path ".spec.a": it begins with no dot'
related 'map: {field: []}'
refused "no path" 'map.field is empty'
related 'map: {field: a, label: b}'
refused "two maps" \
	'map must be owner, {label: KEY}, {field: PATH} or {jq: EXPR}'
related 'map: {field: a, namespace: x}, namespaces: [y]'
refused "a namespace that is not watched" \
	'map.namespace is x, but the namespaces of this kind do not have it'
related 'map: {field: a}' 'scope: Cluster'
refused "a cluster-scoped primary" \
	'map.field needs namespace or namespaceField beside it: a Thing has none'
related 'map: {field: a}'
sed -i 's/related:/dependents:/' "$T/watches.yaml"
refused "a dependent" 'map.field is for related kinds: put Secret there'

done_testing
