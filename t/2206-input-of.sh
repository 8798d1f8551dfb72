#!/bin/bash
# ireconcile --input-of: what the program gets for a primary, at the end of the
# input.
. "${0%/*}/lib.sh"

printf '%s\n' '- group: e.com' '  version: v1' '  kind: T' \
	'  program: reconcile.jq' '  operator: {image: "i"}' '  dependents:' \
	'  - {apiVersion: v1, kind: ConfigMap, manage: true}' \
	'  related:' '  - {apiVersion: v1, kind: Secret}' \
	'- group: c.com' '  version: v1' '  kind: C' '  scope: Cluster' \
	'  program: reconcile.jq' >"$T/watches.yaml"
cat >"$T/reconcile.jq" <<'END'
include "operator";
def desired: [config_map("a"; {}; {v: .primary.spec.v}),
  config_map("b"; {}; {v: .primary.spec.v})];
def status: {all: .};
END

# object APIVERSION KIND NAME JSON: of namespace d
object() {
	jq -cn '{apiVersion: $v, kind: $k, metadata: ({name: $n, namespace: "d",
		uid: $n, resourceVersion: "1"} + $o.metadata)}
		+ ($o | del(.metadata))' \
		--arg v "$1" --arg k "$2" --arg n "$3" --argjson o "$4"
}
owner='{"metadata":{"ownerReferences":[{"apiVersion":"e.com/v1","kind":"T",
	"name":"t","uid":"t","controller":true}]},"data":{"v":"1"}}'
{
	object v1 Secret s '{"data": {"k": "aHVudGVyMg=="}}'
	object e.com/v1 T other '{"spec": {"v": "1"}}'
	object v1 ConfigMap a "$owner"
	object e.com/v1 T t '{"spec": {"v": "1"}, "metadata": {"generation": 1}}'
	object c.com/v1 C c '{"metadata": {"namespace": null}, "spec": {"v": 1}}'
} >"$T/in"

# of KEY CODE WHAT [OPTION]: its input
of() {
	runs "$2" "$3" ireconcile -f "$T/watches.yaml" --clock=input \
		--input-of="$1" "${@:4}" <"$T/in"
}

of T/d/t 0 "a primary of a namespace"
is "$(wc -l <"$T/out")" 1 "... is one line, and no set is printed"
elsewhere="c.c.com c: ConfigMap of v1 is not a dependent with manage: true; write \"- {apiVersion: v1, kind: ConfigMap, manage: true}\" into dependents of the entry at $T/watches.yaml:10"
is "$(<"$T/err")" "ireconcile: error: $elsewhere" \
	"... what fails elsewhere is logged"
is "$(jq -c '[keys, .primary.metadata.name, .operator, .now, .error, .loops,
		[.owned.ConfigMap[].metadata.name],
		[.related.Secret[].metadata.name],
		[.outstanding[].metadata.name]]' "$T/out")" \
	'[["error","loops","now","operator","outstanding","owned","primary","related"],"t",{"image":"i"},0,null,[],["a"],["s"],["a","b"]]' \
	"... with everything"
is "$(jq -r '.related.Secret[0].data.k' "$T/out")" 'aHVudGVyMg==' \
	"... and the Secret that is in the input"
jq -cS 'del(.outstanding)' "$T/out" >"$T/got"
ireconcile -f "$T/watches.yaml" --all --clock=input <"$T/in" |
	jq -cS 'select(.reconcile.primary.name == "t") | .reconcile.status.all
		| del(.outstanding)' >"$T/want"
same "$T/got" "$T/want" "... as status gets it"
echo 'def plan: {of: .primary.metadata.name};' >>"$T/reconcile.jq"
of T/d/t 0 "a program with a plan"
is "$(jq -c .plan "$T/out")" '{"of":"t"}' "... which is there"
of T.e.com/d/t 0 "... with the group"
of T.e.com/d/t 0 "... and --all makes no difference" --all
is "$(wc -l <"$T/out")" 1 "... to the lines"
of C/c 0 "a cluster-scoped primary"
is "$(jq -c '[.primary.metadata.name, .error]' "$T/out")" \
	"$(jq -cn --arg e "${elsewhere#*c: }" '["c", $e]')" \
	"... whose program failed"

# ---- an output that cannot be written ----

# onto TARGET: prints an input there
onto() {
	timeout 30 ireconcile -f "$T/watches.yaml" --clock=input \
		--input-of=T/d/t <"$T/in" >"$1"
}
runs 111 "a full disk: exit 111" onto /dev/full
is "$(tail -n 1 "$T/err")" \
	"ireconcile: error: cannot write standard output: No space left on device" \
	"... says so"
unread 1 "a reader that is gone: exit 1" timeout 30 ireconcile \
	-f "$T/watches.yaml" --clock=input --input-of=T/d/t <"$T/in"
is "$(tail -n 1 "$T/err")" \
	"ireconcile: error: the reader of standard output is gone" \
	"... says so"

# ---- keys ----

of T/d/x 1 "one that is not there"
is "$(<"$T/out")" "" "... prints nothing"
is "$(tail -n 1 "$T/err")" \
	"ireconcile: error: T/d/x is not there at the end of the input" \
	"... and says so"
of T/t 100 "a key without its namespace"
is "$(sed 's/.*fatal: //' "$T/err")" \
	"option --input-of: T/t is not KIND/NAMESPACE/NAME" "... is refused"
of C/d/c 100 "a namespace too many"
of X/d/t 100 "a kind of no entry"
is "$(sed 's/.*fatal: //' "$T/err")" \
	"option --input-of: X/d/t is not of a primary kind of the watches file" \
	"... is refused"
echo 'no JSON' >>"$T/in"
of T/d/t 1 "bad input"
is "$(<"$T/out")" "" "... prints nothing"
done_testing
