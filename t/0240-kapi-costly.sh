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

# many COUNT FORMAT: prints it COUNT times, each with its number, separated by
# commas.
many() {
	seq "$1" | awk -v f="$2" '{ printf (NR > 1 ? "," : "") f, $1, $1 }'
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

cpu() {
	sed 's/.*) //' "/proc/$kapi/stat" |
		awk -v hz="$(getconf CLK_TCK)" '{ print int(($12 + $13) * 100 / hz) }'
}

object() {
	printf '{"metadata":{"name":"%s",%s},%s}' "$1" "$2" "$3" >"$T/body"
}

object a '"labels":{"a":"b"}' "\"data\":{$(many 30000 '"k%d":"%d"')}"
costs 201 "many keys" POST "$maps" application/json
object b "\"labels\":{$(many 20000 '"-l%d":"-%d"')}" '"data":{}'
costs 422 "many errors" POST "$maps" application/json
object c "\"ownerReferences\":[$(many 45000 \
	'{"apiVersion":"v1","kind":"Pod","name":"p%d","uid":"u%d"}')]" '"data":{}'
costs 201 "many owners" POST "$maps" application/json
object d "\"ownerReferences\":[$(many 30000 \
	'{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}')]" '"data":{}'
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

# pod NAME MEMBER ITEMS: with one container that has these items.
pod() {
	printf '{"metadata":{"name":"%s"},"spec":{"volumes":[{"name":"v"}],
		"containers":[{"name":"c","image":"i","%s":[%s]}]}}' "$@" >"$T/body"
}

printf '{"metadata":{"name":"g"},"spec":{"containers":[%s]}}' \
	"$(many 20000 '{"name":"c%d","image":"i"}')" >"$T/body"
costs 201 "many containers" POST "$pods" application/json
printf '{"metadata":{"name":"h"},"spec":{"volumes":[%s],"containers":[%s]}}' \
	"$(many 20000 '{"name":"v%d"}')" '{"name":"c","image":"i"}' >"$T/body"
costs 201 "many volumes" POST "$pods" application/json
pod i volumeMounts "$(many 20000 '{"name":"v","mountPath":"/%d"}')"
costs 201 "many mounts" POST "$pods" application/json
pod j ports "$(many 20000 '{"name":"p%d","containerPort":1}')"
costs 201 "many ports" POST "$pods" application/json
pod k ports "$(many 20000 '{"containerPort":1,"hostPort":%d}')"
costs 201 "many ports of the host" POST "$pods" application/json
printf '{"metadata":{"name":"s"},"spec":{"ports":[%s]}}' \
	"$(many 20000 '{"name":"p%d","port":%d}')" >"$T/body"
costs 201 "many ports of a service" POST "${pods%pods}services" application/json

thing() {
	printf '{"apiVersion":"x.io/v1","kind":"Thing","metadata":{"name":"%s"},%s}' \
		"$@" >"$T/body"
}

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
thing t "\"bad\":[$(many 20000 \
	'"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%d"')]"
costs 422 "patterns that explode" POST "$things" application/json
thing u '"good":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxa!"'
costs 201 "... and find what is there" POST "$things" application/json

for selector in "$(many 100000 'k%d')" "a+in+($(many 100000 'k%d'))" \
	"$(many 100000 '!k')"; do
	printf 'labelSelector=%s' "$selector" >"$T/body"
	curl -gsS --max-time 100 --cacert "$T/ca.pem" -G --data "@$T/body" \
		-o "$T/answer" -w '%{http_code}' "$url$maps" >"$T/code"
	is "$(code)" 200 "a selector of 100,000 parts"
done
peak=$(sed -n 's/^VmHWM:[ \t]*\([0-9]*\) kB/\1/p' "/proc/$kapi/status")
# A sanitizer does not give freed memory back.
case $BIN in *sanitize*) peak=0 ;; esac
[ "$peak" -lt 500000 ]
tap $? "no request took 500 MB" || note "$peak kB"
kapi_down
done_testing
