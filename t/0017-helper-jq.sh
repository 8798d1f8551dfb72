#!/bin/bash
# t/helpers/jq.c, the jq that the shell tests call, does what jq does: calls
# of all sorts, by both, give the same output, messages and exit code. What it
# does not have it leaves to jq.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

helper=$ROOT/build/t/bin/jq
real=$(PATH=${PATH//"$ROOT/build/t/bin:"/} command -v jq)
[ -x "$helper" ] || skip_all "make unit-tests builds the helper"

mkdir "$T/in" "$T/in/home"
cat >"$T/in/values" <<'END'
{"name":"é \u0001 😀","list":[3,1,{"z":1,"a":null}],"empty":{}}
[]
  {"list":["a"], "name": "two\nlines", "flag": false}
null "text"
END
printf '%s\n' 0 -0 1.0 0.1 1e17 1E-5 100000000000000000000 1e1000 -1.5e-300 \
	3.141592653589793238 9007199254740993 >"$T/in/numbers"
printf 'one line\n\n  another\twith é\nwithout an end' >"$T/in/text"
echo 'def mine: "of home";' >"$T/in/home/.jq"

# jq ARGUMENT...: the one in $jq; its exit code as well
# shellcheck disable=SC2317
jq() {
	(exec -a jq "$jq" "$@")
	echo "exit code $?" >&2
}

# called JQ: what each line of the table gives with it, and a mark behind that
called() {
	local jq=$1 line

	cd "$T/in" || exit
	trap - EXIT
	export WORD=word
	while IFS= read -r -u 7 line; do
		eval "$line"
		printf '\036'
	done 7<"$ROOT/t/cases/0017/calls" 2>&1 </dev/null
}

(called "$real") >"$T/want"
(called "$helper") >"$T/got"
mapfile -t lines <t/cases/0017/calls
mapfile -t -d $'\036' want < <(tr -d '\0' <"$T/want")
mapfile -t -d $'\036' got < <(tr -d '\0' <"$T/got")
for i in "${!lines[@]}"; do
	is "${got[i]}" "${want[i]}" "${lines[i]:0:72}"
done
same "$T/got" "$T/want" "... to the byte"

# Each result comes with its input.
mkfifo "$T/lines" "$T/results"
exec 5<>"$T/lines" 6<>"$T/results"
start from 5 "$helper" --unbuffered .a >&6
for n in 1 2; do
	echo "{\"a\":$n}" >&5
	read -r -t 60 result <&6
	is "$result" "$n" "the result of line $n, before another line comes"
done

# The next jq in PATH is called only for what is not here.
cat >"$T/jq" <<'END'
#!/bin/sh
echo "called with $*"
END
chmod +x "$T/jq"
with_another() {
	PATH=$ROOT/build/t/bin:$T command jq "$@"
}
if [[ $(ireconcile --version) == *"libjq 1.6"* ]]; then
	is "$(with_another -n 1)" 1 "it needs no other jq"
fi
is "$(with_another -C .)" "called with -C ." "... but for what it does not have"
is "$(PATH=$T:$ROOT/build/t/bin:$PATH "$helper" -n nothing 2>&1 | head -n 1)" \
	"$("$real" -n nothing 2>&1 | head -n 1)" \
	"a jq before it in PATH is not the real one"
done_testing
