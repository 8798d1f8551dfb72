#!/bin/bash
# A member that the input of a program never has, or the metadata of an object,
# is found at start. Where `.` may be something else, nothing is said.
. "${0%/*}/lib.sh"

watches() { # WHEN MAP [MORE]
	cat <<-END
		- group: e.com
		  version: v1
		  kind: T
		  program: reconcile.jq
		  desiredReads: [owned, now]
		  operator: {image: x, size: 3}
		  when: '$1'
		  dependents:
		  - {apiVersion: v1, kind: Secret, manage: true}
		  related:
		  - {apiVersion: v1, kind: Pod, map: {jq: '$2'}}
		${3:-}
	END
}
watches true '[]' >"$T/watches.yaml"

# told CODE MESSAGE WHAT
told() {
	runs "$1" "$3" ireconcile -f "$T/watches.yaml" </dev/null
	is "$(sed -E "s|^ireconcile: [a-z]*: ||; s|$T/||g" "$T/err")" "$2" \
		"... ${2:-without a word}"
}

# ---- what is found ----

# Lines of PROGRAM ~ MESSAGE.
while IFS='~' read -r program message; do
	echo "$program" >"$T/reconcile.jq"
	told 100 "reconcile.jq:1: $message" "$program"
done <<'END'
def desired: [.primry.x];~.primry: the input has no such member (did you mean .primary?)
def desired: []; def status: {a: .onwed.Secret};~.onwed: the input has no such member (did you mean .owned?)
def desired: []; def status: {n: (.outstandig // [] | length)};~.outstandig: the input has no such member (did you mean .outstanding?)
def desired: []; def finalize: {done: (.primry? == 1)};~.primry: the input has no such member (did you mean .primary?)
def desired: []; def requeue: .nwo;~.nwo: the input has no such member (did you mean .now?)
def desired: []; def events: [.errors];~.errors: the input has no such member (did you mean .error?)
def desired: []; def plan: .primry;~.primry: the input has no such member (did you mean .primary?)
def desired: []; def settled: .foo;~.foo: the input has no such member
def desired: [.metadata.name];~.metadata: the input has no such member (did you mean .primary.metadata?)
include "operator"; def x: .related.Pods; def desired: need(.primary; "x") | 1 as $a | [x];~no entry of watches.yaml has a related kind Pods (did you mean .related.Pod?)
def desired: [select(.now > 1) | .primry];~.primry: the input has no such member (did you mean .primary?)
def desired: [.spec.replicas];~.spec: the input has no such member (did you mean .primary.spec?)
def desired: [.plan.a];~.plan: the program has no function plan
def desired: . as $in | [$in.primry[]];~.primry: the input has no such member (did you mean .primary?)
def desired: . as $in | [$in.related.Secrets[]];~no entry of watches.yaml has a related kind Secrets
def desired: . as $in | .primary as $p | $in.owned as {Secret: $s} | [$p, $s] | map($in.primry);~.primry: the input has no such member (did you mean .primary?)
def desired: . as {primry: $p} | [$p];~.primry: the input has no such member (did you mean .primary?)
def desired: . as {$primry} | [$primry];~.primry: the input has no such member (did you mean .primary?)
def desired: {primry} | [];~.primry: the input has no such member (did you mean .primary?)
def desired: [."primry"];~.primry: the input has no such member (did you mean .primary?)
def desired: [.["primry"].x];~.primry: the input has no such member (did you mean .primary?)
def desired: "\(.primry)" | [];~.primry: the input has no such member (did you mean .primary?)
def desired: [if .primry then 1 else 2 end];~.primry: the input has no such member (did you mean .primary?)
def x($n): .primry[$n]; def desired: [x(1)];~.primry: the input has no such member (did you mean .primary?)
def desired: .primary as $p | [$p.metadta.name];~.metadta: an object has no such member (did you mean .metadata?)
def desired: .primary as $p | [$p.metadata.nmae];~.metadata.nmae: the metadata of an object has no such member (did you mean .metadata.name?)
def desired: .primary as {metadata: $m} | [$m.nmae];~.metadata.nmae: the metadata of an object has no such member (did you mean .metadata.name?)
def desired: .primary as {metadata: {nmae: $n}} | [$n];~.metadata.nmae: the metadata of an object has no such member (did you mean .metadata.name?)
def desired: [.primary.metadata.lables.app];~.metadata.lables: the metadata of an object has no such member (did you mean .metadata.labels?)
def desired: [.primary.metadata.foo];~.metadata.foo: the metadata of an object has no such member
def desired: [.owned.Secret[0].metadata.nmae];~.metadata.nmae: the metadata of an object has no such member (did you mean .metadata.name?)
def desired: [.related.Pod[] as $s | 1 | $s.metadata.nmae];~.metadata.nmae: the metadata of an object has no such member (did you mean .metadata.name?)
def desired: [reduce .owned.Secret[] as $s (0; . + ($s.metadta | length))];~.metadta: an object has no such member (did you mean .metadata?)
END

# A key of .operator may be missing in one file and not in another.
while IFS='~' read -r program message; do
	echo "$program" >"$T/reconcile.jq"
	told 0 "${message:+reconcile.jq:1: $message}" "$program"
done <<'END'
def desired: [.operator.image, .operator.size];~
def desired: [.operator.imgae // "x"];~.operator.imgae: operator in watches.yaml has no such key (did you mean .operator.image?)
def desired: [.operator.nothing];~.operator.nothing: operator in watches.yaml has no such key
def desired: [.operator.nothing // 1, .operator.nothing?];~
END

# ---- expressions in watches.yaml ----

echo 'def desired: [];' >"$T/reconcile.jq"
watches '.metadta.name == "x"' '[]' >"$T/watches.yaml"
told 100 'watches.yaml:7:1: .metadta: an object has no such member (did you mean .metadata?)' \
	"a misspelt member in when"
watches '.spec.a and .metadata.lables.b == "x"' '[]' >"$T/watches.yaml"
told 100 'watches.yaml:7:1: .metadata.lables: the metadata of an object has no such member (did you mean .metadata.labels?)' \
	"... of the metadata"
watches true '. as $o | [{name: $o.metadata.nmae}]' >"$T/watches.yaml"
told 100 'watches.yaml:11:1: .metadata.nmae: the metadata of an object has no such member (did you mean .metadata.name?)' \
	"... in map"
while IFS= read -r text; do
	watches "$text" '[]' >"$T/watches.yaml"
	told 0 "" "when: $text"
done <<'END'
.metadata.name == "x" and .spec.metadta == null and .specs != 1
.data.metadta | .nmae == .foo
(.metadatas, .meta, .metad, .kinds, .metadata2, .primary) == null
{metadta: 1} | .metadta == 1
.metadata.annotations["metadta"] // false
.metadata | has("nmae")
.metadata.nothing? // .metadata.foo // false
END
watches '.metadta.name == "x"' '[]' '  filters: [[cat]]' >"$T/watches.yaml"
told 0 "" "filters may make objects of any shape"

# ---- shared programs ----

{
	watches true '[]'
	watches true '[]' | sed 's/kind: T/kind: U/; s/image: x/tag: y/
		s/kind: Pod/kind: Node/'
} >"$T/watches.yaml"
echo 'def desired: [.operator.image, .operator.tag, .related.Node, .related.Pod]
	| map(.foo) | [];' >"$T/reconcile.jq"
told 0 "" "two entries have a program: what either has is known"

# ---- of which nothing is said ----

# Lines of programs, all at once: N.jq is that of an entry for TN.
mapfile -t quiet <<'END'
def desired: reduce .primary.spec.list[]? as $x ([]; . + [.primry, $x.primry]) | [];
def desired: [foreach .primary.spec.list[]? as [$a, {b: $c}] (0; .primry?; {a: .foo, $a, $c})] | [];
def desired: . as {primary: {metadata: {name: $n}}, $operator} | [$n, $operator.image | {primry: .}.primry] | [];
def desired: .primary as {metadata: {name: $n, labels: {$app}}, $spec} | [$app.primry, $spec.metadta, $n] | [];
def desired: .primary.spec | .primry // .spec | [];
def select(f): {primry: 1}; def desired: [select(.primary) | .primry];
def desired: [{primry: 1}, select(.primary) | .primry];
def desired: [.owned[] | .[] | .metadta] | [];
def desired: [.. | .primry?] | [];
def desired: [paths(.primry?)] | [];
def desired: path(.primary.spec.x) | [];
def desired: [.primary | .spec.foo, .metadta?] | [];
def desired: [getpath(["primry"])] | [];
def desired: to_entries | map(.key, .value.primry?) | [];
def desired: with_entries(.value.primry?) | [];
def desired: .primary.spec | to_entries? | map(.key) | [];
def desired: {primry: 1} | .primry | [];
def desired: {primry: 1}.primry | [];
def desired: [{primry: 1}][0].primry | [];
def desired: [.owned.Secret[] | .foo] | [];
def desired: [.owned[].primry?] | [];
def desired: .primary | "\(.primry)" | [];
def desired: "\(.primary | .primry)" | [];
def desired: [.foo?];
def desired: .foo = 1 | .foo | [];
def desired: (.foo, .bar) = 1 | [];
def desired: .foo |= 1 | .bar += .foo | [];
def desired: .primary.spec.x as $in | $in.primry | [];
def desired: . as $in | .primary as $in | [$in.spec, $in.status] | [];
def desired: . as $in | (.primary.spec as $in | $in.primry) | [];
def f($in): $in.primry; def desired: . as $in | f({primry: 1}) | [];
def desired: . as $in | def f($in): $in.primry; [f({primry: 1})] | [];
def desired: . as $x | [1, 2] | map(. as $x | $x.primry?) | [];
def desired: [1] as [$a] | {b: {c: 2}} as {b: {c: $d}} | [$a, $d];
def desired: .primary as $p | reduce $p.spec.l[]? as $p ({}; . + $p.foo) | [];
def desired: if .primary.spec then .primary.spec | .foo else .primary | .bar end | [];
def desired: if .primary.spec | .foo then 1 else 2 end | [];
def desired: try error({primry: 1}) catch .primry | [];
def desired: try error({primry: 1}) catch (.primry, [.foo], {foo}) | [];
def desired: [try error({primry: 1}) catch {primry}] | [];
def desired: def f: .primry; {primry: 1} | f | [];
def desired: def f(g): {primry: 1} | g; f(.primry) | [];
def desired: (def f(g): {primry: 1} | g; f(.primry)) | [];
def f(g; $n): {primry: 1} | g; def desired: f(.primry; 1) | [];
def f(g; h): g; def desired: f(def g(x): {primry: 1} | x; g(.primry); 2) | [];
def f: .foo; def desired: {foo: 1} | f | [];
def f: .foo; def g: f; def desired: [{foo: 1} | g] | [];
def f: .foo; def g(h): {foo: 1} | h; def desired: [g(f)] | [];
def f: if .primary then {foo: 1} | f else .foo end; def desired: [f] | [];
def f(x): if .primary then {foo: 1} | f(x) else x end; def desired: [f(.foo)] | [];
def primry: 1; def desired: [primry, {primry: 2}] | [];
def desired: {a: if .primary then "x" else "," end} | [];
def desired: {a: "," , primary, b: (if .primary then "," else "," end)} | [];
def desired: {(.primary.kind): 1, "a\(.primary.kind)": 2, "b": .primary.kind} | .foo | [];
def desired: . as {("pri" + "mary"): $p, "owned": $o, $now} | [$p.foo, $o[]] | [];
def desired: [limit(1; .primary.spec | .foo)] | [];
def desired: [first({foo: 1} | .foo)] | [];
def desired: [.primary.spec | select(.foo) | .bar] | [];
def desired: [.primary | select(.spec.foo).metadata.name] | [];
def desired: any(.owned[]?; .foo) | [];
def desired: [.owned.Secret | map(.foo) | .[0] | .bar] | [];
def desired: [.owned.Secret | sort_by(.foo), group_by(.bar), min_by(.baz)] | [];
def desired: [.owned.Secret | INDEX(.foo)] | [];
def desired: del(.foo) | [];
def desired: [.primary.spec.a[.primary.kind]?] | [];
def desired: [label $out | .primary.spec[]? | .foo, break $out] | [];
def desired: . as $in | [1, 2 | $in.primary.spec[.]?] | [];
def desired: . as $in | {foo: 1} | .foo, $in.primary.spec.foo | [];
def desired: .primary as $p | $p.spec.foo, $p.status.bar, $p.data, $p.metadatas, $p.specs | [];
def desired: [.primary.metadata.clusterName, .primary.metadata.annotations["a"], .primary.metadata.labels.foo, .primary.metadata["name"]] | [];
def desired: [.primary.metadata | .foo, keys[]] | [];
def desired: [.primary.metadata.ownerReferences[]? | .controller] | [];
def desired: .primary.spec.template.metadata.nmae, .primary.spec.metadta | [];
def desired: [.error, .loops, .outstanding, .now, .operator] | [];
def desired: [.loops[]?.item, .outstanding[]?.foo, .error.foo?] | [];
def desired: []; def plan: {a: 1}; def status: {a: .plan.a, b: .plan.foo};
def desired: [(.plan? // {a: 1}).a] | [];
def desired: [-(.primary.spec.n // 0) as $n | $n] | [];
def input_of: 1; def desired: input_of | [];
def inp: .; def desired: [inp.primary.spec, (inp | .primary.foo)] | [];
def desired: (. | .primary).foo, ([.] | .[0].foo) | [];
def desired: [.primary.spec as {a: [$b, {c: $d}]} | $b.foo, $d.bar] | [];
def desired: walk(if type == "object" then .foo else . end) | [];
def desired: [.primary.spec | recurse(.foo[]?; .bar) | .baz] | [];
def desired: [.primary.spec.l[]? as {foo: $f} | {$f, foo: 1}] | [];
def desired: [splits(.foo)?] | [];
def env_of: 1; def desired: [env_of] | [];
def desired: (.primary, .owned) as {foo: $f} | [$f] | [];
def desired: [.primary.spec + {foo: 1} | .foo] | [];
def desired: . + {foo: 1} | .foo | [];
def desired: [(. + {foo: 1}).foo] | [];
def desired: [. * {foo: 1} | .foo] | [];
def desired: [.primary.spec.a as $a | .primary.spec.b as $b | $a.foo - $b.bar] | [];
def desired: ["a" | ascii_downcase | .[0:1]] | [];
def desired: [@json "\(.primary.spec)", @text "x"] | [];
def desired: [.primary.spec."foo"."bar", .primary."spec"["a"]["b"]] | [];
def desired: [.["primary"]["spec"].foo, ."primary"."metadata"."name"] | [];
def desired: [.[("pri", "own") + "x"]?] | [];
def desired: [.[]? | .foo?] | [];
def desired: [keys[] as $k | .[$k] | .foo?] | [];
def desired: reduce (.primary, .owned) as $x (null; $x.foo) | [];
def desired: reduce . as $x (0; 1 + ($x.primary | length)) | [];
def desired: foreach (1, 2) as $x (0; . + $x; {foo: .}) | .foo | [];
def desired: isempty(.primary.spec | .foo) | [];
def desired: [if . == null then .primary else {foo: 1} end | .foo] | [];
def desired: [if false then .primary else {foo: 1} end.foo] | [];
def desired: [.primary | . as $p | $p.metadta?, $p.foo] | [];
def desired: . as $primary | $primary.primary as $in | [$in.spec] | [];
def f(primry): primry; def desired: [f(.primary)] | [];
def f($primary): $primary.foo; def desired: [f({foo: 1})] | [];
END
entry=$(watches true '[]')
for n in "${!quiet[@]}"; do
	echo "${quiet[n]}" >"$T/$n.jq"
	kind=${entry/kind: T/kind: T$n}
	echo "${kind/reconcile/$n}"
done >"$T/watches.yaml"
told 0 "" "${#quiet[@]} programs" || note "$(cd "$T" && grep . [0-9]*.jq)"
watches true '[]' >"$T/watches.yaml"
printf '%s\n' 'def mine: .primry;' >"$T/mine.jq"
echo 'include "mine"; def desired: [mine];' >"$T/reconcile.jq"
told 0 "" "files that are included"
done_testing
