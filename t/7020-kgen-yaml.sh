#!/bin/bash
# The YAML that generators write: for people, and read back as it was.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

f=$T/op
mkdir -p "$f/gen"
cp pipeline/memcached/*.yaml pipeline/memcached/reconcile.jq "$f"
cat >"$f/gen/y.jq" <<'END'
include "gen/yaml";
def y: [{path: "y.yaml", objects: .examples}];
END
# written OBJECT-AS-JSON: by kgen, without its "# Source"
written() {
	jq -ca . <<<"$1" >"$f/example.yaml"
	kgen y -f "$f" | tail -n +2
}

is "$(written '{"#": "What\n\n\tit is", "apiVersion": "v1", "#kind": "A key", "kind": "Role",
	"metadata": {"#": "About it", "name": "x", "labels": {}, "list": []},
	"rules": [{"apiGroups": [""], "verbs": ["get", "list"]}, {"#": "Two", "a": {"b": [1, null, true]}}],
	"args": ["--a=b", "-c", "x y"], "commas": ["a,b"], "text": "a\n  b\n\nc\n", "cut": "a\nb",
	"deep": [["a"], [{"b": 1}]]}')" '# What
#
#	it is
apiVersion: v1
# A key
kind: Role
# About it
metadata:
  name: x
  labels: {}
  list: []
rules:
- apiGroups: [""]
  verbs: [get, list]
# Two
- a:
    b:
    - 1
    - null
    - true
args: [--a=b, -c, x y]
commas:
- a,b
text: |
  a
    b

  c
cut: |-
  a
  b
deep:
- - a
- - b: 1' "it is written for people"
is "$(written '{"l": ["a23456789", "b23456789", "c23456789", "d23456789", "e23456789", "f23456789", "g23456789", "h"]}' |
	wc -l)" 9 "a list that is too long has a line for each"

# ---- it is read back ----

# Two readers: that of kgen (YAML 1.2) and that of kapi (1.1, as the API's).
jq -cn '[
	"", " ", "a", "a b", " a", "a ", "a: b", "a:b", "a:", ":a", "a #b", "a#b", "#a",
	"-", "- a", "-a", "--a", "---", "...", "-1", "-.inf", "--- a", "?", "? a", "?a",
	"yes", "No", "on", "OFF", "y", "N", "true", "False", "null", "NULL", "~", "nUlL",
	"1", "01", "0x1f", "0o7", "1_000", "1e3", "1.5", ".5", "+1", "1:30", "12:30:45",
	"190:20:30", "2001-01-01", "2001-12-14t21:59:43.10-05:00", "0.1.0", "v1", "100m",
	"64Mi", "10h", "1e3m", "0b11", "0xg", ".inf", ".NaN", ".a", "=", "<<", "!a", "&a",
	"*a", "%a", "@a", "`a", "|", ">", "|a", "[a", "]", "{a}", "}", ",", "a,b", "a[0]",
	"{{ .Values.x }}", "$(X)", "${X}", "\"a\"", "\u0027a\u0027", "it\u0027s", "a\\b",
	"a\tb", "\t", "a\n", "a\nb", "a\n\nb\n", "\na", " a\nb", "a \nb", "a\n b\n", "a\n\n",
	"a\r\nb", "é", "日本", "a\u0085b", "a\u2028b", "\ufeffa", "a\u007fb",
	"-\n", "# a\nb", "http://a:80/b?c=d&e", "a/b@sha256:0", "localhost:5000/x:1",
	(200 * "a"), (30 * "word "), (30 * "a b\n")] as $texts
	| {texts: $texts, keys: ($texts | map({key: ., value: 1}) | from_entries
		| with_entries(select(.key | startswith("#") | not))),
	each: ($texts | map([., {a: .}])),
	numbers: [0, -1, 1.5, 1e15, 9007199254740991, 1e-5, 100000000000000]
		| map(. + 0)}' >"$T/want.json"
written "$(<"$T/want.json")" >"$T/y.yaml"
ok "odd texts are written" test -s "$T/y.yaml"
cp "$T/y.yaml" "$f/example.yaml"
kgen describe -f "$f" | jq -S '.examples[0]' >"$T/got"
jq -S . "$T/want.json" >"$T/want"
same "$T/got" "$T/want" "... and read back by YAML 1.2"
# A ConfigMap keeps texts: what kapi takes for something else it refuses.
jq '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "x"},
	data: (.texts | to_entries
		| map({key: "k\(.key)", value}) | from_entries)}' "$T/want.json" >"$T/cm.json"
written "$(<"$T/cm.json")" >"$T/cm.yaml"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
kapi_up
ask POST /api/v1/namespaces/default/configmaps "@$T/cm.yaml" \
	application/yaml >"$T/out"
is "$(<"$T/code")" 201 "... and by an API server"
jq -S .data "$T/out" >"$T/got"
jq -S .data "$T/cm.json" >"$T/want"
same "$T/got" "$T/want" "... as it was"

done_testing
