#!/bin/bash
# The cost of one request to kapi: time and memory grow with its size, not with
# the square of it. Each of these requests once took a minute or gigabytes
# at three times the size, because a list was walked for each of its items.
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/kapi.sh
. "${0%/*}/kapi.sh"

command -v curl >/dev/null || skip_all "needs curl"
kapi_up
maps=/api/v1/namespaces/default/configmaps
pods=${maps%configmaps}pods

# body BEFORE COUNT FORMAT BEHIND: $T/body has between these FORMAT so many
# times, each with its number, separated by commas. No shell handles the text.
body() {
	{
		printf %s "$1"
		awk -v n="$2" -v f="$3" 'BEGIN {
			for (i = 1; i <= n; i++)
				printf (i > 1 ? "," : "") f, i, i
		}'
		printf %s "$4"
	} >"$T/body"
}

# Less than 1 s of processor time, which depends little on the load of the
# machine (by a factor, where two processors share a core), for what takes 0.4 s
# at most; a sanitizer takes more.
limit=100
[[ $BIN != *sanitize* ]] || limit=600

# costs STATUS WHAT METHOD PATH TYPE: the body is $T/body.
costs() {
	local before after

	before=$(cpu)
	curl -sS --max-time 100 --cacert "$T/ca.pem" -X "$3" -o "$T/answer" \
		-w '%{http_code}' -H "Content-Type: $5" \
		--data-binary "@$T/body" "$url$4" >"$T/code" 2>"$T/curl.err"
	after=$(cpu)
	is "$(code)" "$1" "$2: $1"
	[ $((after - before)) -lt $limit ]
	tap $? "... in time" ||
		note "$(((after - before) / 100)) s"
}

hz=$(getconf CLK_TCK)
cpu() {
	local stat

	read -ra stat <"/proc/$kapi/stat"
	echo $(((stat[13] + stat[14]) * 100 / hz))
}

body '{"metadata":{"name":"a","labels":{"a":"b"}},"data":{' 30000 '"k%d":"%d"' '}}'
costs 201 "many keys" POST "$maps" application/json
body '{"metadata":{"name":"b","labels":{' 20000 '"-l%d":"-%d"' '}},"data":{}}'
costs 422 "many errors" POST "$maps" application/json
body '{"metadata":{"name":"c","ownerReferences":[' 45000 \
	'{"apiVersion":"v1","kind":"Pod","name":"p%d","uid":"u%d"}' ']},"data":{}}'
costs 201 "many owners" POST "$maps" application/json
body '{"metadata":{"name":"d","ownerReferences":[' 30000 \
	'{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}' ']},"data":{}}'
costs 201 "the same owner, many times" POST "$maps" application/json
is "$(jq -c '.metadata.ownerReferences | length' "$T/answer")" 1 "... counts once"

{
	printf 'metadata: {name: e}\ndata:\n'
	seq 100000 | sed 's/.*/ k&: \&a& x/'
} >"$T/body"
costs 400 "many anchors" POST "$maps" application/yaml
{
	printf '{"apiVersion":"v1","kind":"ConfigMap","data":'
	yes '[' | head -n 400000 | tr -d '\n'
} >"$T/body"
costs 400 "deep YAML" PATCH "$maps/f?fieldManager=t" application/apply-patch+yaml

body '{"metadata":{"name":"g"},"spec":{"containers":[' 20000 \
	'{"name":"c%d","image":"i"}' ']}}'
costs 201 "many containers" POST "$pods" application/json
body '{"metadata":{"name":"h"},"spec":{"containers":[{"name":"c","image":"i"}],
	"volumes":[' 20000 '{"name":"v%d"}' ']}}'
costs 201 "many volumes" POST "$pods" application/json
# pod NAME MEMBER FORMAT: with one container that has many of these
pod() {
	body '{"metadata":{"name":"'"$1"'"},"spec":{"volumes":[{"name":"v"}],
		"containers":[{"name":"c","image":"i","'"$2"'":[' 20000 "$3" ']}]}}'
}
pod i volumeMounts '{"name":"v","mountPath":"/%d"}'
costs 201 "many mounts" POST "$pods" application/json
pod j ports '{"name":"p%d","containerPort":1}'
costs 201 "many ports" POST "$pods" application/json
pod k ports '{"containerPort":1,"hostPort":%d}'
costs 201 "many ports of the host" POST "$pods" application/json
body '{"metadata":{"name":"s"},"spec":{"ports":[' 20000 \
	'{"name":"p%d","port":%d}' ']}}'
costs 201 "many ports of a service" POST "${pods%pods}services" application/json

# Patterns for which a backtracking matcher takes for ever.
cat >"$T/body" <<\END
{"metadata":{"name":"things.x.io"},"spec":{"group":"x.io","scope":"Namespaced",
"names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1",
"served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
"properties":{"bad":{"type":"array","items":{"type":"string",
"pattern":"^(a|a?)+$"}},"good":{"type":"string","pattern":"(x+x+)+y|a!"}}}}}]}}
END
costs 201 "a definition" POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions \
	application/json
things=/apis/x.io/v1/namespaces/default/things
wait_for 10 curl -fsS --cacert "$T/ca.pem" -o "$T/answer" "$url$things"
thing='{"apiVersion":"x.io/v1","kind":"Thing","metadata":{"name":'
body "$thing"'"t"},"bad":[' 20000 \
	'"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%d"' ']}'
costs 422 "patterns that explode" POST "$things" application/json
echo "$thing"'"u"},"good":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxa!"}' >"$T/body"
costs 201 "... and find what is there" POST "$things" application/json

selector() { # BEFORE FORMAT BEHIND
	body "labelSelector=$1" 100000 "$2" "$3"
	curl -gsS --max-time 100 --cacert "$T/ca.pem" -G --data "@$T/body" \
		-o "$T/answer" -w '%{http_code}' "$url$maps" >"$T/code"
	is "$(code)" 200 "a selector of 100,000 parts"
}
selector '' k%d ''
selector 'a+in+(' k%d ')'
selector '' '!k' ''
peak=$(sed -n 's/^VmHWM:[ \t]*\([0-9]*\) kB/\1/p' "/proc/$kapi/status")
# A sanitizer does not give freed memory back.
case $BIN in *sanitize*) peak=0 ;; esac
[ "$peak" -lt 500000 ]
tap $? "no request took 500 MB" || note "$peak kB"
kapi_down
done_testing
