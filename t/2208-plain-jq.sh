#!/bin/bash
# lib/jq/plain: the library for jq itself. There a program gives what it gives
# in ireconcile, for each input in the recordings of pipeline/.
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
real_jq

export TZDIR=$PWD/t/unit/ireconcile/crontab/zoneinfo
export OPERATOR_NAME=dev
plain=$ROOT/lib/jq/plain

# evaluated FOLDER WATCHES RECORDING PROGRAM...: lines of {of, input, desired},
# by ireconcile: a status that a program of each name has here, with both.
evaluated() {
	local folder=$T/$1/$2 name

	mkdir -p "$folder"
	cp pipeline/"$1"/*.jq "pipeline/$1/$2" "$folder"
	for name in "${@:4}"; do
		mv "$folder/$name.jq" "$folder/the-$name.jq"
		printf 'include "the-%s"; def status: {text: ({of: "%s", %s}\n' \
			"$name" "$name" \
			'input: ., desired: (try desired catch "failed")' \
			>"$folder/$name.jq"
		echo '| tojson)};' >>"$folder/$name.jq"
	done
	ireconcile -f "$folder/$2" --clock=input --all \
		<"pipeline/$1/t/$3.jsonl" 2>"$folder/err" |
		jq -c '.reconcile.status.text // empty | fromjson'
}

# as_there FOLDER WATCHES RECORDING PROGRAM...: each different result.
as_there() {
	local name

	evaluated "$@" | jq -cs 'unique_by([.of, .desired])[]' >"$T/lines"
	for name in "${@:4}"; do
		jq -c "select(.of == \"$name\")" "$T/lines" >"$T/in"
		ok "$1/$name, $3: there are results" test -s "$T/in"
		jq -cS .desired "$T/in" >"$T/want"
		jq -cS -L "pipeline/$1" -L "$plain" "include \"$name\";
			.input | try desired catch \"failed\"" \
			"$T/in" >"$T/got" 2>&1
		same "$T/got" "$T/want" "... and jq has the same"
	done
}

as_there memcached watches.yaml life reconcile
as_there memcached watches.yaml instances reconcile
as_there experimental watches.yaml life reconcile
as_there at watches.yaml life reconcile
as_there cronjob watches.yaml life reconcile
as_there iotservice watches.yaml instances reconcile
as_there iotservice watches.yaml life reconcile
as_there playground watches.yaml start reconcile
as_there playground controllers.yaml rollout \
	deployment replicaset statefulset job
is "$(jq -rn -L pipeline/playground -L "$plain" \
	'include "daemonset"; {} | desired | tojson')" "[]" "playground/daemonset"

# The examples of doc/library.md.
sed -n 's/^| `[a-z]/&/p' doc/library.md | sed 's/\\|/\x01/g' |
	awk -F'|' '{ print $4 "\t" $5 }' |
	sed 's/\x01/|/g; s/ *` *//g' >"$T/rows"
{
	echo 'include "operator"; {primary: {metadata: {name: "t",'
	echo 'namespace: "a", generation: 3}}, now: 0} | ['
	cut -f 1 "$T/rows" | sed 's/.*/(try (&) catch .)/; $!s/$/,/'
	echo '] | .[]'
} >"$T/examples.jq"
jq -cSn -L "$plain" -f "$T/examples.jq" 2>&1 | paste <(cut -f 1 "$T/rows") - \
	>"$T/got"
cut -f 2 "$T/rows" | jq -cS . | paste <(cut -f 1 "$T/rows") - |
	sed -E 's/^(.*(cron_[a-z]*|from_yaml).*\t).*/\1"\2: not in plain jq; ireconcile has it"/' \
		>"$T/want"
ok "doc/library.md has examples" test "$(wc -l <"$T/rows")" -gt 40
same "$T/got" "$T/want" "... which jq gives as well, but for schedules and from_yaml"

# plain NAME CODE ARGUMENT...
plain() {
	runs "$2" "$1" jq -cn -L "$plain" "${@:3}"
}
for call in 'random("a"; 22)' 'random_for("n"; "a"; 22)'; do
	plain "$call" 5 "include \"operator\"; $call"
	is "$(sed 's/^jq: error (at [^)]*): //' "$T/err")" \
		"${call%%(*}: not in plain jq; ireconcile has it" "... says why it fails"
done
for n in 0 3 55 56 63 64 119 120 4000; do
	head -c "$n" doc/program.md | sed 'y/aeo/äé😀/' >"$T/text"
	is "$(jq -Rrs -L "$plain" 'include "operator"; sha256' "$T/text")" \
		"$(sha256sum <"$T/text" | cut -d' ' -f1)" "sha256 of a text of $n"
done

# What both have to give for the same expressions.
cat >"$T/same" <<'END'
[" \u00a0a\t ", "\u2028"] | map(trim, ltrim, rtrim)
[-1, 2, 0] | map(abs)
[{a: 1, b: {c: 2, d: 3}} | pick(.b.c), pick(.a)]
[add(1, 2, 3), add(empty), [skip(1; 1, 2, 3)], [skip(0; 1)]]
[1, [1]] | map(toarray)
["true", "false", true] | map(toboolean)
["aXa", "aX"] | map(trimstr("a"))
["ab1cd22" | scan("([a-z])([0-9]+)"; "g")]
["2026-01-15T10:30:00Z", "2026-01-15T10:30:00.123456Z"] | map(fromdate)
{a: "x\n\n  y", b: ["p\nq\n", "é\u2028\u0085\u007f", "no"], N: 1.5, "5": {}, c: [[1, [2]], {d: [{e: 1, f: {g: null}}]}]} | to_yaml
["yes", " x\ny", "x\ny ", "a\tb\nc", "", "\n", "x\n"] | to_yaml
["1.", ".5", "+1", "-1.5k", "250m", "1T", "1e3", "2Ki", 3, 0.25] | map(quantity)
["", "1 Gi", "x", "1e", null] | map(try quantity catch "failed")
["1h30m", "-1.5s", "250ms", "0", "1500us", "1d", "", 5] | map(try duration catch .)
try sha256 catch .
END
{
	echo 'include "operator"; def desired: []; def status: {r: ['
	sed 's/.*/(&)/; $!s/$/,/' "$T/same"
	echo ']};'
} >"$T/program.jq"
echo '- {group: e.com, version: v1, kind: T, program: program.jq}' \
	>"$T/watches.yaml"
echo '{"apiVersion":"e.com/v1","kind":"T","metadata":{"name":"t",
	"namespace":"a","uid":"u"}}' |
	ireconcile -f "$T/watches.yaml" --all 2>"$T/err" |
	jq -cS '.reconcile.status.r[]' | paste "$T/same" - >"$T/want"
is "$(<"$T/err")" "" "expressions in ireconcile"
jq -cSn -L "$T" -L "$plain" 'include "program"; {} | status.r[]' 2>&1 |
	paste "$T/same" - >"$T/got"
same "$T/got" "$T/want" "... and in jq"

# The example of doc/program.md.
mkdir "$T/example"
ln -s "$ROOT/lib" "$T/example/lib"
cp pipeline/memcached/*.{jq,yaml} "$T/example"
jq -c 'if .object.metadata.name == "zero"
	then .object.metadata.name = "example" else . end' \
	pipeline/memcached/t/instances.jsonl >"$T/example/life.jsonl"
sed -n '/^    ireconcile /,/^$/p' doc/program.md |
	awk 'BEGIN { RS = "" } /lib\/jq\/plain/' >"$T/example/command"
runs 0 "the example of doc/program.md" \
	env -C "$T/example" bash -e "$T/example/command"
is "$(jq -r '.[].kind' "$T/out")" "Deployment" "... gives the desired objects"
is "$(<"$plain/operator.jq")" \
	"$(sed '/^include /d' lib/jq/plain/parts/{language,sha256}.jq \
		lib/jq/plain/parts/{yamltext,amounts,call}.jq \
		lib/jq/{ready,time,values,yaml,operator}.jq)" \
	"the file is what its parts are"
done_testing
