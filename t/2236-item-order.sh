#!/bin/bash
# ireconcile: after(OBJECT; OTHERS) and independent(OBJECT): what the line says of
# the order, what waits here already, and what is refused.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches 'dependents:' '- {apiVersion: v1, kind: ConfigMap, manage: true, retain: true}' \
	'- {apiVersion: v1, kind: Secret, manage: true, namespaces: []}' \
	'- {apiVersion: apps/v1, kind: Deployment, manage: true}' \
	'- {apiVersion: v1, kind: Namespace, scope: Cluster, manage: true}' \
	'finalizer: example.com/f' \
	'related: [{apiVersion: v1, kind: Pod, delete: true, patch: true, map: {field: spec.pod}}]'
program() { # DESIRED [MORE]
	cat >"$T/program.jq" <<END
include "operator";
def cm(\$n): config_map(\$n; {}; {k: "v"});
def dep: deployment("d"; {app: "d"}; {containers: []});
def desired: [$1];
def status: {error, open: [.outstanding[].metadata.name]};
${2-}
END
}
# order: the items of the last line, and what it says of their order
order() {
	ireconcile -f "$T/watches.yaml" <"$T/in" 2>"$T/err" | tail -n 1 |
		jq -c '[.items[].metadata.name],
			(.reconcile | {after, independent, once, exactly} | map_values(values))'
}
error() { # DESIRED [MORE]
	program "$@"
	thing a 1 | ireconcile -f "$T/watches.yaml" 2>"$T/err" |
		jq -r .reconcile.status.error
}

thing a 1 >"$T/in"
program 'cm("a"), after(cm("b"); cm("a")), dep'
is "$(order)" '["a","b","d"]
{"after":{"ConfigMap/ns/b":["ConfigMap/ns/a"]}}' "after another item"
program 'after(cm("a"); cm("b"), [cm("c")]), after(cm("b"); after(cm("c"); cm("x"))), cm("c"), independent(dep)'
is "$(order)" '["c","b","a","d"]
{"after":{"ConfigMap/ns/b":["ConfigMap/ns/c"],"ConfigMap/ns/a":["ConfigMap/ns/b","ConfigMap/ns/c"]},"independent":["Deployment.apps/ns/d"]}' \
	"several, and arrays; the line has them first"
program 'after(cm("a"); []), after(cm("b"); empty)'
is "$(order)" '["a","b"]
{}' "after nothing: no order, and no item is lost"
program 'dep, cm("a"), after(after(exactly(cm("b")); dep); [cm("a")]), independent(after(once(cm("c")); retain(cm("a")))), retain(independent(cm("e") | immutable(.data)))'
is "$(order)" '["d","a","b","c","e"]
{"after":{"ConfigMap/ns/b":["ConfigMap/ns/a","Deployment.apps/ns/d"],"ConfigMap/ns/c":["ConfigMap/ns/a"]},"independent":["ConfigMap/ns/c","ConfigMap/ns/e"],"once":["ConfigMap/ns/c"],"exactly":["ConfigMap/ns/b"]}' \
	"with other functions, also of the others, whose identity counts"
program 'namespace("n"; {}), (cm("s") | .kind = "Secret" | .data.k = "dg==" | .metadata.namespace = "n" | after(.; namespace("n"; {})))
	, after(cm("b"); {apiVersion: "v1", kind: "Secret", metadata: {namespace: "n", name: "s"}})
	, after(cm("c"); {apiVersion: "apps/v7", kind: "Deployment", metadata: {name: "d"}}), dep'
is "$(order | tail -n 1)" '{"after":{"Secret/n/s":["Namespace//n"],"ConfigMap/ns/b":["Secret/n/s"],"ConfigMap/ns/c":["Deployment.apps/ns/d"]}}' \
	"in the namespaces that items get, whatever their version"

# ---- what is there already ----

program 'after(cm("b"); cm("a")), cm("a")'
order >/dev/null
ireconcile -f "$T/watches.yaml" <"$T/in" 2>/dev/null |
	jq -c '.items[] | .metadata += {uid: "u", resourceVersion: "3"}' >"$T/made"
{ thing a 1; head -n 1 "$T/made"; } >"$T/in"
is "$(order)" '["b"]
{"after":{"ConfigMap/ns/b":["ConfigMap/ns/a"]}}' \
	"what is as desired is not in the line, which is good"
{ thing a 1; head -n 1 "$T/made" | jq -c '.metadata += {deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y"]}'; } >"$T/in"
is "$(order)" '[]
{}' "what is being deleted is waited for here"
is "$(ireconcile -f "$T/watches.yaml" <"$T/in" 2>/dev/null | jq -c .reconcile.status.open)" \
	'["a","b"]' "... and both are outstanding"
{ thing a 1; head -n 1 "$T/made" | jq -c '.data.k = "w"'; } >"$T/in"
is "$(order)" '["a","b"]
{"after":{"ConfigMap/ns/b":["ConfigMap/ns/a"]}}' "one that differs goes first"
program 'after(cm("b"); if_exists(cm("a"))), if_exists(cm("a")), keep(cm("k")), after(cm("c"); keep(cm("k")))'
thing a 1 >"$T/in"
is "$(order | head -n 1)" '["b","c"]' \
	"of what is not to be created nothing is waited for"

# ---- another order is another request ----

cat >"$T/program.jq" <<'END'
include "operator";
def cm($n): config_map($n; {}; {k: "v"});
def desired: [cm("a"), if .primary.spec.first then after(cm("b"); cm("a"))
	elif .primary.spec.alone then independent(cm("b")) else cm("b") end];
def status: {phase: "x"};
END
{
	initially "$(thing a 1 "" '"spec":{}')"
	event MODIFIED "$(thing a 2 "" '"spec":{"n":1}')"
	event MODIFIED "$(thing a 3 "" '"spec":{"first":true}')"
	event MODIFIED "$(thing a 4 "" '"spec":{"alone":true}')"
} >"$T/in"
is "$(ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>/dev/null |
	jq -c '.reconcile | [.primary.resourceVersion, .after, .independent]')" \
	'["1",null,null]
["3",{"ConfigMap/ns/b":["ConfigMap/ns/a"]},null]
["4",null,["ConfigMap/ns/b"]]' "another order is told, and nothing else"
program 'cm("a"), cm("b")'
cp "$T/program.jq" "$T/old.jq"
program 'cm("a"), independent(after(cm("b"); cm("a")))'
sed 's/program.jq/old.jq/' "$T/watches.yaml" >"$T/old.yaml"
thing a 1 >"$T/in"
ireconcile -f "$T/old.yaml" --against "$T/watches.yaml" --clock=input \
	<"$T/in" >"$T/out" 2>"$T/err"
is "$(jq -c '[.object, .differs[].path]' "$T/out")" \
	'["ConfigMap/ns/b",".reconcile.after",".reconcile.independent"]' \
	"--against shows it"

# ---- finalize ----

program 'cm("a")' 'def finalize: {items: [after(cm("b"); cm("a")), cm("a")], done: false};'
thing a 1 "$dying,\"finalizers\":[\"example.com/f\"]" >"$T/in"
is "$(order)" '["a","b"]
{"after":{"ConfigMap/ns/b":["ConfigMap/ns/a"]}}' "items of finalize have an order as well"

# ---- what is refused ----

is "$(error 'after(cm("a"); cm("b"))')" \
	"ConfigMap/ns/a is after ConfigMap/ns/b, which is not in the set: desire it, too" \
	"after what is not desired"
is "$(error 'after(cm("a"); {apiVersion: "v1", kind: "Node", metadata: {name: "b"}})')" \
	"ConfigMap/ns/a is after Node/ns/b, which is not in the set: desire it, too" \
	"... of a kind that no item can be of"
is "$(error 'after(cm("a"); .primary)')" \
	"ConfigMap/ns/a is after Thing.example.com/ns/a, which is not in the set: desire it, too" \
	"... the primary"
is "$(error 'after(cm("a"); cm("c")), after(cm("b"); cm("a")), after(cm("c"); cm("b")), cm("d")')" \
	"items are after one another, so none can be the first: ConfigMap/ns/a is after ConfigMap/ns/c, ConfigMap/ns/c is after ConfigMap/ns/b, ConfigMap/ns/b is after ConfigMap/ns/a" \
	"a circle"
is "$(error 'after(cm("e"); cm("a")), after(cm("a"); cm("a"))')" \
	"items are after one another, so none can be the first: ConfigMap/ns/a is after ConfigMap/ns/a" \
	"... of one, with another one before it"
is "$(error 'range(12) as $n | after(cm("\($n)"); cm("\(($n + 1) % 12)"))' | grep -o 'ConfigMap/ns/7 is.*')" \
	"ConfigMap/ns/7 is after ConfigMap/ns/8, ..." "... a long one is cut"
is "$(error 'after(cm("a"); null)' | sed 's/.*desired: //')" \
	"item 0: object 0 that it is after is not an object" "after null"
is "$(error 'after(cm("a"); [cm("b"), {kind: "X"}])' | sed 's/.*desired: //')" \
	"item 0: object 1 that it is after has no apiVersion" "... and what has no identity"
is "$(error '{"kpipe.dev/after": {object: cm("a"), others: cm("b")}}' | sed 's/.*desired: //')" \
	"item 0 is after what is not a list of objects" "... by hand"
is "$(error 'after(keep(cm("a")); cm("b")), cm("b")' | sed 's/.*desired: //')" \
	"item 0 (ConfigMap a) is keep and something else, too" "keep with an order"
pod='{apiVersion: "v1", kind: "Pod", metadata: {name: "p"}}'
is "$(error "independent(delete_foreign($pod))" | sed 's/.*desired: //')" \
	"item 0 (Pod p) is delete_foreign and something else, too" "... and a deletion"
is "$(error "delete_foreign($pod), after(cm(\"a\"); $pod)")" \
	"ConfigMap/ns/a is after Pod/ns/p, which delete_foreign deletes: deletions come after all items" \
	"... which nothing is after"
is "$(error "cm(\"a\"), independent(after(patch_only($pod | .metadata.labels = {a: \"b\"}); cm(\"a\")))")" \
	null "patch_only may have an order"

# ---- many ----

program '[([range(3000)] | map(tostring)) as $n | range($n | length) | if . > 0 then after(cm($n[.]); cm($n[. - 1])) else cm("0") end] | reverse | .[]'
thing a 1 >"$T/in"
is "$(order | head -n 1 | jq -c '.[:3], length')" '["0","1","2"]
3000' "3000 items, each after the one behind it"
is "$(error '[range(500) | cm("\(.)") | del(.data)] as $all | range(500) | after($all[.]; $all[:.])')" \
	"program.jq:4: desired: items are after more than 100000 others in all: name only those next before each" \
	"... each after all before it: there is a limit"
done_testing
