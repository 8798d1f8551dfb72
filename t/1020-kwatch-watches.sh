#!/bin/bash
# kwatch -f: what it asks for by a watches.yaml, and what it prints.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kwatch.sh
. "${0%/*}/kwatch.sh"

: >"$T/p.jq"
empty='{"list": [{"body": {"metadata":{"resourceVersion":"3"},"items":[]}}]}'
serve '{"pods": '"$empty"', "configmaps": '"$empty"', "nodes": '"$empty"'}'

# asks WHAT REQUESTS [OPTION...]: with the file on stdin
asks() {
	local what=$1 want=$2

	shift 2
	cat >"$T/w.yaml"
	: >"$T/requests"
	runs "${code:-0}" "$what" kwatch --server "$url" --once -f "$T/w.yaml" "$@"
	is "$(sort "$T/requests" | sed 's,^list /api/v1/,,; s/?limit=500//')" \
		"$want" "... is asked for so"
}

primary='- {group: "", version: v1, kind: ConfigMap, program: p.jq'
asks "everything" "configmaps" <<END
$primary}
END
asks "two namespaces" "namespaces/a/configmaps
namespaces/b/configmaps" <<END
$primary, namespaces: [a, b]}
END
asks "a namespace said twice" "namespaces/a/configmaps" <<END
$primary, namespaces: [a, a]}
END
asks "-n" "namespaces/b/configmaps" -n b <<END
$primary, namespaces: [a, b]}
END
WATCH_NAMESPACE=x,y asks "-A" "configmaps" -A <<END
$primary}
END
WATCH_NAMESPACE=x,y asks "WATCH_NAMESPACE" "namespaces/x/configmaps
namespaces/y/configmaps" <<END
$primary}
END
asks "a selector" "configmaps&labelSelector=k%3Dv" <<END
$primary, selector: {matchLabels: {k: v}}}
END
asks "dependents in the namespaces of the primary, nodes in none" \
	"namespaces/a/configmaps
namespaces/a/pods
nodes" <<END
- group: ""
  version: v1
  kind: ConfigMap
  program: p.jq
  namespaces: [a]
  dependents:
  - {apiVersion: v1, kind: Pod, manage: true}
  related:
  - {apiVersion: v1, kind: Node}
END
asks "a kind that two entries name: once, in all their namespaces" \
	"namespaces/a/configmaps
namespaces/a/pods
namespaces/b/pods
nodes" <<END
- group: ""
  version: v1
  kind: ConfigMap
  program: p.jq
  namespaces: [a]
  dependents:
  - {apiVersion: v1, kind: Pod, manage: true, selector: {matchLabels: {k: v}}}
- group: ""
  version: v1
  kind: Node
  program: p.jq
  related:
  - {apiVersion: v1, kind: Pod, namespaces: [a, b]}
END
is "$(short <"$T/out" | sort)" "begin ConfigMap
begin Node
begin Pod
end ConfigMap
end Node
end Pod" "... and announced once"

# The selector of a primary is not widened.
cat >"$T/w.yaml" <<END
$primary, selector: {matchLabels: {k: v}}}
- group: ""
  version: v1
  kind: Node
  program: p.jq
  related:
  - {apiVersion: v1, kind: ConfigMap}
END
runs 100 "a primary with a selector, named without it" \
	kwatch --server "$url" --once -f "$T/w.yaml"
is "$(<"$T/err")" \
	"kwatch: fatal: $T/w.yaml:7: ConfigMap is a primary with the selector k=v, and a kind is watched with one selector: write selector: k=v wherever ConfigMap is named, or drop it and let the program desire [] for primaries that do not match" \
	"... says where"

# Projection: of two entries for a kind, the wider one counts.
fat='{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"s","uid":"1","resourceVersion":"2","labels":{"l":"m","n":"o"}},"spec":{"x":[{"y":1,"z":2}]},"status":{"phase":"P"}}'
serve '{"pods": {"list": [{"body": {"metadata":{"resourceVersion":"3"},"items":['"$fat"']}}]},
	"configmaps": '"$empty"', "nodes": '"$empty"'}'
# gets WHAT OBJECT: of the pod, with the fields of both entries on stdin
gets() {
	local first second

	read -r first
	read -r second
	cat >"$T/w.yaml" <<-END
		- group: ""
		  version: v1
		  kind: ConfigMap
		  program: p.jq
		  dependents:
		  - {apiVersion: v1, kind: Pod, manage: false, map: {label: l}$first}
		- group: ""
		  version: v1
		  kind: Node
		  program: p.jq
		  related:
		  - {apiVersion: v1, kind: Pod$second}
	END
	kwatch --server "$url" --once -f "$T/w.yaml" 2>&1 |
		jq -c 'select(.type != "BOOKMARK").object' >"$T/out"
	is "$(<"$T/out")" "$2" "$1"
}
head='{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"s","uid":"1","resourceVersion":"2","labels":{"l":"m"}}'
gets "fields of both" "$head"',"spec":{"x":[{"y":1}]},"status":{"phase":"P"}}' <<END
, fields: [status.phase]
, fields: ["spec.x[].y"]
END
gets "one wants all" "$fat" <<END
, fields: [status.phase]

END
gets "the same in the other order" "$fat" <<END

, fields: [status.phase]
END

# An operand of a kind that -f watches, too: one watch, announced once.
asks "an operand in the namespace of the file" "namespaces/a/configmaps" \
	cm -n a <<END
$primary}
END
is "$(short <"$T/out")" "begin ConfigMap
end ConfigMap" "... is announced once"
code=1 asks "an operand in another one, and one object of it, which is not there" \
	"namespaces/a/configmaps
namespaces/default/configmaps" cm configmaps/x <<END
$primary, namespaces: [a]}
END
asks "an operand of a kind of which the file wants some" \
	"configmaps
pods" -A po <<END
$primary, dependents: [{apiVersion: v1, kind: Pod, manage: false,
	map: {label: l}, fields: [status.phase], selector: {matchLabels: {k: v}}}]}
END
is "$(jq -c 'select(.type != "BOOKMARK").object' "$T/out")" "$fat" \
	"... and whole"
: >"$T/requests"
runs 1 "two objects of a kind, one of them absent" kwatch --server "$url" --once -n s po/a po/b
is "$(sort "$T/requests")" \
	"list /api/v1/namespaces/s/pods?limit=500&fieldSelector=metadata.name%3Da
list /api/v1/namespaces/s/pods?limit=500&fieldSelector=metadata.name%3Db" \
	"... are asked for one by one"
cat >"$T/w.yaml" <<END
$primary, selector: {matchLabels: {k: v}}}
END
runs 100 "a primary with a selector, as an operand without it" \
	kwatch --server "$url" --once -f "$T/w.yaml" cm
is "$(<"$T/err")" \
	"kwatch: fatal: ConfigMap is a primary with the selector k=v, and a kind is watched with one selector: write selector: k=v wherever ConfigMap is named, or drop it and let the program desire [] for primaries that do not match" \
	"... is refused"

# More paths than the limit are refused: to ignore some would leave values in
# the recording.
printf '%s, redact: [%s]}\n' "$primary" \
	"$(seq -s, -f 'data.k%.0f' 65)" >"$T/w.yaml"
runs 100 "65 paths to redact" kwatch --server "$url" --once -f "$T/w.yaml"
is "$(<"$T/err")" \
	"kwatch: fatal: $T/w.yaml:1: more than 64 paths to redact of ConfigMap" \
	"... are refused"
printf '%s, redact: [%s]}\n' "$primary" \
	"$(seq -s, -f 'data.k%.0f' 64)" >"$T/w.yaml"
serve '{"configmaps": {"list": [{"body": {"metadata":{"resourceVersion":"3"},"items":[
	{"metadata":{"name":"a","namespace":"s","uid":"1","resourceVersion":"2"},"data":{"k64":"secret"}}]}}]}}'
runs 0 "64 of them" kwatch --server "$url" --once --redact -f "$T/w.yaml"
is "$(short <"$T/out" | sed -n 2p) $(grep -c secret "$T/out")" \
	"ADDED a 1 2 0" "... are all heeded"

# With --once a forbidden namespace does not affect the others.
printf '%s, namespaces: [x, y]}\n' "$primary" >"$T/w.yaml"
item='{"metadata":{"name":"a","namespace":"y","uid":"1","resourceVersion":"2"}}'
serve '{"configmaps": {"list": [
	{"code": 403, "body": '"$(status 403 Forbidden no)"'},
	{"body": {"metadata":{"resourceVersion":"3"},"items":['"$item"']}}]}}'
runs 1 "--once, a namespace is forbidden" \
	kwatch --server "$url" --once -f "$T/w.yaml"
is "$(short <"$T/out")" "begin ConfigMap
ADDED a 1 2" "... the other one is listed, and the kind is incomplete"
done_testing
