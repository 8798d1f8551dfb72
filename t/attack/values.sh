# shellcheck shell=bash disable=SC2154
# Values that functions of jq do not bear, or that take too long.

section "values that end a program"
value() {
	local name=v$attacks

	tries "$1" thing "$name" "$2"
	gets "its own object is Failed" failed "$name" "${3:-.}"
}
ended() {
	failed "$1" || available "$1"
}
some() {
	local name=v$attacks

	tries "$1" thing "$name" "$2"
	gets "an end of it: an answer, or Failed" ended "$name"
}
answer() {
	local name=v$attacks

	tries "$1" thing "$name" "$2"
	gets "an answer: $3" answers "$name" "$3"
}
value "a time of 1e17 s" '{"do":"rfc3339","x":100000000000000000}'
value "a time of 1e300 s" '{"do":"todate","x":1e300}'
value "a time before all times" '{"do":"todate","x":-1e18}'
value "1e18 as broken-down time" '{"do":"gmtime","x":1e18}'
value "a broken-down time of nothing" '{"do":"mktime","x":[]}'
value "a broken-down time of huge numbers" '{"do":"mktime","x":[1e18,1e18,1e18,1e18,1e18,1e18,1e18,1e18]}'
value "a time's format that is a list" '{"do":"strftime","x":0,"y":[]}'
value "an invalid time" '{"do":"strptime","x":"x","y":"%Y"}'
value "an invalid date" '{"do":"fromdate","x":"9999999999999999-01-01T00:00:00Z"}'
some "a slice from nan" '{"do":"from","x":[1,2,3],"y":"nan"}'
some "a slice of a text from nan" '{"do":"from","x":"abc","y":"nan"}'
some "a slice to nan" '{"do":"upto","x":"abc","y":"nan"}'
some "assigning to a slice from nan" '{"do":"set slice","x":[1,2,3],"y":"nan"}'
some "deleting a slice from nan" '{"do":"delete slice","x":[1,2,3],"y":"nan"}'
value "element 2147483647" '{"do":"set","x":[],"y":[2147483647]}'
value "element 1431655765" '{"do":"set","x":[],"y":[1431655765]}'
value "element 1e18" '{"do":"set","x":[],"y":[1e18]}'
value "element -5 of three" '{"do":"set","x":[1,2,3],"y":[-5]}'
value "a path of numbers in an object" '{"do":"set","x":{},"y":[1,2]}'
value "deleting by an object" '{"do":"delete","x":[1],"y":[[{}]]}'
value "getting by a list" '{"do":"get","x":{"a":1},"y":[[[]]]}'
some "-2^63 modulo -1" '{"do":"modulo","x":-9223372036854775808,"y":-1}'
value "modulo 0" '{"do":"modulo","x":1,"y":0}'
value "dividing by 0" '{"do":"divide","x":1,"y":0}'
value "a billion times a text" '{"do":"times","x":"0123456789","y":1e9}'
value "1e18 elements" '{"do":"range","x":1e18}' "stopped|CPU|memory"
value "counting to never" '{"do":"until","x":0,"y":-1}' "stopped|CPU"
value "recursion without end" '{"do":"recurse","x":0,"y":1}' "stopped|CPU|memory|deep"
some "a global match of nothing in é" '{"do":"scan","x":"é","y":"[a-z]*"}'
some "splits at nothing in é" '{"do":"splits","x":"aéb","y":" *"}'
some "replacing nothing" '{"do":"gsub","x":"x","y":""}'
value "a regular expression that backtracks for ever" \
	'{"do":"test","x":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!","y":"^(a+)+$"}'
some "a regular expression of repeated repetitions" \
	'{"do":"test","x":"x","y":"(?:(?:(?:x{0,1000}){0,1000}){0,1000}){0,1000}y"}'
value "an invalid regular expression" '{"do":"test","x":"x","y":"(("}'
value "characters beyond Unicode" '{"do":"implode","x":[1114112,-1,55296]}'
value "invalid JSON" '{"do":"fromjson","x":"[[[["}'
value "a list as a key's name" '{"do":"entries","x":[[1]]}'
value "2^40 combinations" '{"do":"combinations","x":[[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2]]}' \
	"stopped|CPU|memory"
some "10^400" '{"do":"exp10","x":400}'
some "2^(10^18)" '{"do":"ldexp","x":1,"y":1e18}'
answer "the text of controls, ESC and NUL" '{"x":"a\u001b[2J\u0007"}' $'a\e[2J\a'

section "errors that a program catches, or does not"
tries "a bad port behind a good one" thing port '{"x":"x","ports":["1"]}'
gets "a port" there "$(configmaps tenant port-port-1)"
as mallory PATCH "$targets/tenant/targets/port" '{"spec":{"ports":["70000","x"]}}' >/dev/null
tries "a port too large, and an invalid one" true
gets "Failed, for the author's reason" failed port 'port 70000 is too large'
tries "... so that its members go" true
gets "they are still there" there "$(configmaps tenant port-port-1)"
tries "a size of 12 where 10 is the most" thing size '{"x":"x","size":"12"}'
gets "Failed, and no replicas of 0" failed size 'size is above 10'
tries "a Secret's value by an error's text" thing secretly '{"x":"x","secretly":"3"}'
no_secret() {
	status_of tenant secretly "" | grep -q . &&
		! api "$targets/tenant/targets/secretly" | grep -q -e aHVudGVyMg -e YUhWdWRHVnlNZw
}
gets "a status without it" no_secret

section "large and deep values"
tries "a text of 1.3 MB" thing_from big < <(
	printf '{"x":"'
	head -c 1300000 /dev/zero | tr '\0' a
	printf '"}'
)
gets "it is taken or refused" there "$targets/tenant/targets/big"
tries "a text of 1.3 MB as YAML" thing_from yaml < <(
	printf '{"do":"yaml","x":{"k":"'
	head -c 1300000 /dev/zero | tr '\0' '\a' | sed 's/\a/\\u0007/g' | head -c 1200000
	printf '"}}'
)
gets "it is taken or refused" true
tries "a value 9000 deep" thing_from deep < <(
	printf '{"do":"flatten","x":'
	printf '[%.0s' {1..9000}
	printf ']%.0s' {1..9000}
	printf '}'
)
gets "it is taken or refused" true
tries "59,000 keys" thing_from keys < <(
	seq 59000 | jq -cR -n '{do: "entries", x: ([inputs | {(.): 1}] | add)}'
)
gets "it is taken or refused" true
tries "80,000 texts less 80,000 others" thing_from minus < <(
	jq -cn '{do: "minus", x: [range(80000) | "a\(.)"], y: [range(80000) | "b\(.)"]}'
)
gets "an end, in time or not" true
again() {
	local i

	for i in {1..8}; do
		as mallory PATCH "$targets/tenant/targets/minus" \
			"{\"spec\":{\"n\":$i}}" >/dev/null
	done
}
tries "... and again, eight times" again
gets "no more than it has" true
many() {
	local i

	for i in {1..40}; do
		thing "late$i" '{"do":"todate","x":1e300}'
	done
}
tries "forty times one that fails" many
gets "forty are Failed" failed late40
