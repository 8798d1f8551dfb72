#!/bin/bash
# `debug` in a program: its input, unchanged; with --clock=input, which is for
# files, or with --debug-values also a line in the log. Then the other functions of jq that reach outside of the input.
. "${0%/*}/lib.sh"

printf '%s\n' '- group: e.com' '  version: v1' '  kind: T' \
	'  program: reconcile.jq' '  dependents:' \
	'  - {apiVersion: v1, kind: ConfigMap, manage: true}' \
	'  related:' '  - apiVersion: v1' '    kind: Secret' \
	'    map: {jq: "[.metadata | debug | {name, namespace}]"}' \
	>"$T/watches.yaml"
cat >"$T/lib.jq" <<'END'
def twice: . * 2
  | debug;
END
cat >"$T/reconcile.jq" <<'END'
include "operator"; include "lib";
def size: .primary.spec
  | debug | .size;
def desired: [config_map("a"; {}; {v: (size | twice | debug("size \(.)", [.]) | tostring)})]
  | map(debug(.metadata.name) | (.data | debug | .v) |= . + "x");
def status: {size: size, secrets: (.related.Secret | length | debug)};
END
jq -cn '{apiVersion: "v1", kind: "Secret", metadata: {name: "t",
		namespace: "d", uid: "s", resourceVersion: "1"}},
	{apiVersion: "e.com/v1", kind: "T", metadata: {name: "t",
		namespace: "d", uid: "t", resourceVersion: "1"},
		spec: {size: 2, text: "é\u001b\"\\\n\u202e"}}' >"$T/in"

# evaluated CODE WHAT [OPTION]...
evaluated() {
	runs "$1" "$2" ireconcile -f "$T/watches.yaml" "${@:3}" <"$T/in"
}

evaluated 0 "a program with debug"
cp "$T/out" "$T/want"
is "$(jq -cS '[.items[0].data, .reconcile.status]' "$T/out")" \
	'[{"v":"4x"},{"secrets":1,"size":2}]' "... gets its input unchanged"
is "$(sed "s|$T/||" "$T/err")" \
	"ireconcile: lib.jq:2: debug prints nothing without --clock=input or --debug-values
ireconcile: watches.yaml:10:1: debug prints nothing without --clock=input or --debug-values" \
	"... and says once that it prints nothing"
evaluated 0 "... with --debug-values" --debug-values
same "$T/out" "$T/want" "... prints the same"
sed 's/^ireconcile: t.e.com d.t: //' "$T/err" >"$T/lines"
spec='{"size":2,"text":"é\u001b\"\\\n\u202e"}'
cat >"$T/want" <<END
ireconcile: an object: watches.yaml:10:1: map: debug: {"name":"t","namespace":"d","uid":"s","resourceVersion":"1"}
reconcile.jq:3: desired: size: debug: $spec
lib.jq:2: desired: twice: debug: 4
reconcile.jq:4: desired: debug: "size 4"
reconcile.jq:4: desired: debug: [4]
reconcile.jq:5: desired: debug: "a"
reconcile.jq:5: desired: debug: {"v":"4"}
reconcile.jq:3: status: size: debug: $spec
reconcile.jq:6: status: debug: 1
END
same "$T/lines" "$T/want" "... and logs each value, with its place"
evaluated 0 "... with --clock=input" --clock=input
sed 's/^ireconcile: t.e.com d.t: //' "$T/err" >"$T/lines"
same "$T/lines" "$T/want" "... logs the same"
evaluated 0 "... as JSON" --debug-values --log-format=json
is "$(jq -c 'select(.controller) | del(.ts)' "$T/err" | sed -n 2p)" \
	'{"level":"info","logger":"ireconcile","msg":"lib.jq:2: desired: twice: debug: 4","controller":"t.e.com","namespace":"d","name":"t"}' \
	"... says which primary in members"
evaluated 0 "--input-of" --input-of=T/d/t
jq -c 'del(.now)' "$T/out" >"$T/want"
evaluated 0 "... with --debug-values" --input-of=T/d/t --debug-values
is "$(jq -c 'del(.now)' "$T/out")" "$(<"$T/want")" "... prints the same"
ok "... and logs values" grep -q "d/t: lib.jq:2: desired: twice: debug: 4" \
	"$T/err"
is "$(jq -c -L "$T" -L lib/jq/plain 'include "lib"; .primary.spec.size | twice' \
	"$T/out" 2>"$T/err")" 4 "jq itself evaluates a function of the program"
is "$(<"$T/err")" '["DEBUG:",4]' "... with its own debug"

# ---- limits, failures ----

# program TEXT CODE WHAT: without debug values and with them
program() {
	printf '%s\n' "$1" >"$T/reconcile.jq"
	printf '%s\n' '- group: e.com' '  version: v1' '  kind: T' \
		'  program: reconcile.jq' >"$T/watches.yaml"
	evaluated "$2" "$3"
	cp "$T/out" "$T/want"
	evaluated "$2" "... with --debug-values" --debug-values
	same "$T/out" "$T/want" "... prints the same"
	sed 's/^ireconcile: //; s/^t.e.com d.t: //' "$T/err" >"$T/lines"
}

program 'def desired: [];
	def status: [("é" * 3000, [range(1e5)], {("k" * 5000): 1},
		reduce range(900) as $i (1; [.])) | debug] | {n: length};' \
	0 "values that are long"
is "$(sed -n 's/.*: debug: //p' "$T/lines" | wc -l)" 4 "... are logged"
is "$(sed -n 's/.*: debug: //p' "$T/lines" | LC_ALL=C wc -L)" 1003 \
	"... up to 1000 bytes"
is "$(grep -cF 'é...' "$T/lines") $(grep -cF '\x' "$T/lines")" "1 0" \
	"... and whole characters"
program 'def desired: [];
	def status: {n: ([range(250) | debug] | length)};' 0 "many values"
is "$(wc -l <"$T/lines") $(tail -n 1 "$T/lines")" \
	"101 debug: the rest of this evaluation is left out" \
	"... are 100 lines, and one that says so"
program 'def desired: [];
	def status: {n: ([range(60) | debug] | length)};
	def requeue: ([range(60) | debug] | empty), null;' 0 \
	"many values of several functions"
is "$(wc -l <"$T/lines")" 101 "... are as many in an evaluation"
program 'def status: {};
	def desired: .primary.spec | debug | .text | debug | .a;' 1 \
	"a call that fails"
is "$(grep -c ': debug: ' "$T/lines")" 2 "... has its lines, once"
ok "... and its place" grep -qF 'reconcile.jq:2: desired: Cannot index' \
	"$T/lines"
program 'def desired: []; def status: {a: (nan | debug | isnan),
	b: (infinite | debug | isinfinite), c: (null | debug(1, error("x"), 2))};' \
	0 "values that JSON does not have, and a message that fails"
is "$(sed 's/.*: debug: //' "$T/lines" | head -n 4 | tr '\n' ' ')" \
	'nan infinite 1 {"failed":"x"} ' "... are shown"
program 'def desired: [];
	def status: reduce range(100000) as $i ([]; debug | . + [$i])
		| {n: length};' 0 "a value that grows"
is "$(jq .reconcile.status.n "$T/out")" 100000 \
	"... is not copied in each step"
echo 'def desired: [];
	def status: {a: (try _call("debug"; ["p", "q"], 2) catch "no")};' \
	>"$T/reconcile.jq"
evaluated 0 "the inner function, without --debug-values"
is "$(grep -c 'debug: ' "$T/err")" 0 "... logs nothing"
echo 'def desired: []; def status: {a: (try _call("debug"; 1, 2) catch "no")};' \
	>"$T/reconcile.jq"
runs 0 "... in another form, with it" ireconcile -f "$T/watches.yaml" \
	--debug-values <"$T/in"

# The table of the language, as far as it is about debug.
mkdir "$T/bin" "$T/table"
cat >"$T/bin/ireconcile" <<'END'
#!/bin/sh
"$BIN/ireconcile" --debug-values "$@" 2>"$T/all"
code=$?
grep -v ': debug: ' "$T/all" >&2
exit "$code"
END
chmod +x "$T/bin/ireconcile"
grep 'debug' t/jq/table | grep -v 'refused\|^#' >"$T/rows"
PATH=$T/bin:$PATH t/jq/run "$T/rows" "$T/table" >"$T/got"
ok "t/jq/table has debug" test "$(wc -l <"$T/rows")" -gt 6
is "$(grep -c '^ok' "$T/got")" "$((2 * $(wc -l <"$T/rows")))" \
	"... which with --debug-values means the same"
grep -A2 '^not' "$T/got" | while read -r line; do note "$line"; done

# ---- what is refused, and what is not: the table of doc/program.md ----

sed -n '/^## What a program cannot do/,/^## The lang/p' doc/program.md |
	grep '^| `' >"$T/rows"
while IFS='|' read -r _ names says _; do
	grep -o '`[^`]*`' <<<"$names" | tr -d '`' >"$T/names"
	while read -r name; do
		printf 'def desired: []; def status: [] | %s | {};\n' "$name" \
			>"$T/reconcile.jq"
		case $says in
		*refused*)
			evaluated 100 "$name is refused"
			ok "... by name" grep -qF \
				"reconcile.jq:1: ${name%%[.(]*} is not pure" \
				"$T/err"
			;;
		*) evaluated 0 "$name is not refused" ;;
		esac
	done <"$T/names"
done <"$T/rows"
ok "doc/program.md has them" test "$(wc -l <"$T/rows")" -gt 8
done_testing
