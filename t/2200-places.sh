#!/bin/bash
# An error of jq in a program says where: file, line, definition, and the path of
# the value in the input; never a value. (t/2141-language.sh has the line of each
# expression of t/jq/table.)
. "${0%/*}/lib.sh"

printf '%s\n' '- group: e.com' '  version: v1' '  kind: T' \
	'  program: reconcile.jq' '  dependents:' \
	'  - {apiVersion: v1, kind: ConfigMap, manage: true}' \
	'  related:' '  - {apiVersion: v1, kind: Secret}' >"$T/watches.yaml"
jq -cn '{apiVersion: "v1", kind: "Secret", metadata: {name: "s",
		namespace: "d", uid: "s", resourceVersion: "1"},
		data: {hunter1: "hunter2"}},
	{apiVersion: "e.com/v1", kind: "T", metadata: {name: "t",
		namespace: "d", uid: "u", resourceVersion: "1",
		generation: 1}, spec: {containers: null, n: 4, name: "hunter3",
		list: [{a: 1}, {b: "hunter4"}], empty: {}}}' >"$T/events"

# fails MESSAGE WHAT: the program on stdin fails like that, in the log and in
# the status
fails() {
	{
		cat
		echo 'def status: {error};'
	} >"$T/reconcile.jq"
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/events" \
		>"$T/out" 2>"$T/err"
	is "$(sed 's/.*error: t\.e\.com d\/t: //' "$T/err")" "$1" "$2"
	is "$(jq -r '.reconcile.status.error // .reconcile.onError.error' \
		"$T/out")" "$1" "... as .error"
}

fails 'reconcile.jq:3: desired: pods: Cannot iterate over null (null) at .primary.spec.containers' \
	"a definition of several lines" <<'END'
def pods: .primary.spec
  | if .n > 3 then
      .containers[] | .name
    else empty end;
def desired: [pods];
END
fails 'reconcile.jq:2: desired: Cannot index string with string "foo" at .primary.spec.list[1].b' \
	"a value that was bound to a variable" <<'END'
def desired: .primary.spec.list[1]["b"] as $b | [1 + 1,
  $b.foo];
END
fails 'reconcile.jq:1: desired: tonumber: the text is not a number at .primary.spec.name' \
	"an error of ours" <<'END'
def desired: [.primary.spec.name | tonumber];
END
fails 'reconcile.jq:2: desired: number (...) cannot be added at .primary.spec.n (number) + .primary.spec.name (string)' \
	"both sides of an operator" <<'END'
def desired: [1 + 2 +
  (.primary.spec.n + .primary.spec.name) * 2];
END
line=$(grep -n '^def named(\$list' "$ROOT/lib/jq/operator.jq" | cut -d: -f1)
fails "reconcile.jq:3: desired: Cannot iterate over null (null) (operator.jq:$line: named)" \
	"in the library: where it was called" <<'END'
include "operator";
def desired:
  [.primary.spec.containers | named("a")];
END
# lib_fails EXPRESSION MESSAGE DEFINITION WHAT: an error of the library itself
lib_fails() {
	fails "reconcile.jq:3: desired: $2 ($3)" "$4" <<END
include "operator";
include "values";
def desired: [$1];
END
}
# at FILE TEXT: FILE.jq:LINE of it in the library
at() {
	echo "$1.jq:$(grep -nF -m 1 -- "$2" "$ROOT/lib/jq/$1.jq" | cut -d: -f1)"
}
lib_fails '.primary.spec.n | semver' 'semver: not text' \
	"$(at values '"semver: not text"'): semver" "a version that is a number"
lib_fails '.primary.spec.name | semver' \
	'semver: not a version such as 1.2.3 or v1.2.3-rc.1' \
	"$(at values '"semver: not a version'): _version_identifiers" \
	"a text that is not a version"
lib_fails '.primary | selects({app: "x"})' \
	'selects: a selector has no member "app", only matchLabels, matchExpressions' \
	"$(at values 'has no member '): _only" "a selector with another member"
lib_fails 'name_for(.primary.spec.empty; 1)' \
	'name_for: text is needed, not object' \
	"$(at operator '"name_for: text'): name_for" "a name of an object"
fails 'reconcile.jq:1: desired: boolean (...) has no length at .owned, which desiredReads in watches.yaml does not list' \
	"what desired may not read" <<'END'
def desired: "owned" as $o | [.[$o] | length];
END
fails 'reconcile.jq:2: desired: f: null (null) has no keys' \
	"a function given to a function" <<'END'
def f(g): [1 | tostring]
  | g | keys;
def desired: .primary.spec.empty as $e | f($e | .x);
END
fails 'size is bad' "an error of the author is as it was written" <<'END'
def desired: .primary.spec.list[] | error("size is bad");
END

while IFS='~' read -r call what; do
	fails "reconcile.jq:3: desired: $what" "a mistake in: $call" <<END
include "operator";
def desired: [
  $call];
END
done <<'END'
"a" | error({code: 4})~error with object that is not text
error([1])~error with array that is not text
error(" ")~error without a text
cron_next("@daily"; "now")~cron_next: a number of seconds within the years 0 to 9999, not string (time.jq:12: _for_users)
cron_last("@every 1h"; 1)~cron_last: @every needs a time to count from, the fourth argument (time.jq:12: _for_users)
END
fails 'schedule "61 * * * *": minute 61 is above 59' \
	"a schedule is written by users: without a place" <<'END'
include "operator";
def desired: [cron_next("61 * * * *"; 1)];
END

# A key from a value is a value.
fails 'reconcile.jq:2: desired: null (null) has no keys' \
	"a key that a Secret gives is not shown" <<'END'
def desired: .related.Secret[0].data.hunter1 as $s
  | [.primary.spec.empty[$s] | keys];
END
is "$(grep -c hunter "$T/err")" 0 "... nor its value"

# Each step is noted; a limit of steps, the same on each machine.
fails 'desired failed: Cannot index array with string "a"' \
	"too many steps: without a place" <<'END'
def desired: [range(100000)] | reduce .[] as $x ([]; . + [$x]) | .a;
END
done_testing
