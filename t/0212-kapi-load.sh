#!/bin/bash
# kapi: a cluster is replaced while the server runs; changes in the journal; the
# same numbers for the same seed.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

maps=/api/v1/namespaces/default/configmaps
crds=/apis/apiextensions.k8s.io/v1/customresourcedefinitions
cat >"$T/crd" <<'EOF'
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"tests.example.com"},"spec":{"group":"example.com",
"scope":"Namespaced","names":{"kind":"Test","plural":"tests"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":
{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
"properties":{"n":{"type":"integer","default":3}}}}}}}]}}
EOF

# service NAME
service() {
	echo "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":\
{\"name\":\"$1\"},\"spec\":{\"type\":\"NodePort\",\"ports\":[{\"port\":80}]}}"
}

# load QUERY FILE: the answer
load() {
	ask POST "/kapi/load$1" '' '' -H "Content-Type: application/jsonl" \
		--data-binary "@$2"
}

# lines JQ: of the journal
lines() {
	jq -r "$1" "$T/journal"
}

# The journal is a pipe, which kapi inherits.
mkfifo "$T/pipe"
start cat "$T/pipe" >"$T/journal"
exec 5>"$T/pipe"
kapi_up --journal /dev/fd/5 --journal-changes --seed 7
exec 5>&-

# Changes.
ask POST $crds "$(<"$T/crd")" >/dev/null
ask POST $maps "$(config_map a)" >/dev/null
ask POST $maps '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"g-"}}' \
	>"$T/generated"
ask POST /api/v1/namespaces/default/services "$(service s)" >"$T/service"
ask POST /apis/example.com/v1/namespaces/default/tests \
	'{"apiVersion":"example.com/v1","kind":"Test","metadata":{"name":"t"},"spec":{}}' \
	>/dev/null
uid=$(ask GET $maps/a | jq -r .metadata.uid)
ask POST $maps "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":\
{\"name\":\"below\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\
\"kind\":\"ConfigMap\",\"name\":\"a\",\"uid\":\"$uid\"}]}}" >/dev/null
ask POST /api/v1/namespaces/default/secrets '{"apiVersion":"v1","kind":"Secret",
"metadata":{"name":"s"},"stringData":{"k":"hush"}}' >/dev/null
ask PUT $maps/a "$(config_map a w)" >/dev/null
ask PUT $maps/a "$(config_map a w)" >/dev/null
ask GET /kapi/save >"$T/saved"
ask DELETE $maps/a >/dev/null
wait_for 10 grep -q 'DELETED.*"below"' "$T/journal"
is "$(lines 'select(.object.metadata.name == "a" or .name == "a") |
	"\(.change // .verb) \(.number // 0) \(.userAgent)"')" "ADDED 2 test
create 2 test
get 6 test
MODIFIED 9 test
update 9 test
update 10 test
DELETED 12 test
delete 12 test" "each change, before the request that made it"
is "$(lines 'select(.object.metadata.name == "below") |
	"\(.change) \(.number // "-") \(.userAgent // "-")"')" "ADDED 7 test
DELETED - -" "kapi itself has no number"
is "$(lines 'select(.object.metadata.name == "a" and .change == "DELETED") |
	.object.data.k')" w "what is deleted is shown as it was"
is "$(lines 'select(.change) | .object.metadata.resourceVersion' | sort -nc &&
	echo sorted)" sorted "changes are in the order of versions"
is "$(lines 'select(.object.kind == "Secret") | .object.data.k') \
$(grep -c hush "$T/journal")" "(redacted) 0" "values of Secrets are hidden"

# A cluster is replaced.
ask POST /kapi/faults '{"verb":"list","resource":"pods","code":503,"count":2}
{"path":"/version","pause":true}'
start curl -sS --max-time 100 "$url/version" >/dev/null 2>&1
paused=$!
wait_for 10 grep -q '^{"paused"' "$T/journal"
changes=$(grep -c '^{"change"' "$T/journal")
before=$(ask GET $maps | jq -r .metadata.resourceVersion)
start curl -sS --max-time 100 -A watch "$url$maps?watch=1" >/dev/null 2>&1
watch=$!
wait_for 10 grep -q '"userAgent":"watch"' "$T/journal"
is "$(load '' "$T/saved")" "" "objects are loaded"
wait "$watch"
is "$?" 18 "... other connections are cut"
wait "$paused"
is "$?" 52 "... requests that wait, too"
is "$(lines 'select(.path == "/version" and (.paused | not)) | .code')" 0 \
	"... which is in the journal"
is "$(grep -c '^{"change"' "$T/journal")" "$changes" "... what is loaded is not"
ask GET /kapi/save >"$T/again"
same "$T/saved" "$T/again" "... the state is the one that was saved"
ask GET $maps/a >/dev/null
is "$(code) $(ask GET /kapi/faults)" "200 " "... and no faults are left"
is "$(ask GET "$maps?watch=1&timeoutSeconds=1&resourceVersion=$((before - 9))" |
	jq -r .object.reason)" Expired "... no history"
ask POST /apis/example.com/v1/namespaces/default/tests \
	'{"apiVersion":"example.com/v1","kind":"Test","metadata":{"name":"u"},"spec":{}}' |
	jq -r .spec.n >"$T/n"
is "$(<"$T/n")" 3 "... kinds are served"
uid=$(ask GET $maps/a | jq -r .metadata.uid)
ask DELETE $maps/a >/dev/null
wait_for 10 grep -q "not found" <(ask GET $maps/below)
load "?number=0&version=5000" "$T/saved"
ask GET /version >/dev/null
is "$(lines 'select(.path == "/version") | .number' | tail -n 1)" 1 \
	"requests are counted from the start"
is "$(ask POST $maps "$(config_map x)" | jq -r .metadata.resourceVersion)" 5001 \
	"versions go on from the one that is said"
highest=$(jq -r '.object.metadata.resourceVersion' "$T/saved" | sort -n |
	tail -n 1)
load "?version=$highest" "$T/saved"
is "$(ask POST $maps "$(config_map x)" | jq -r .metadata.resourceVersion)" \
	$((highest + 1)) "... also if that is lower than it was"
# Bookmarks, as of other kinds, may be ahead of the restored state.
sed 's/"resourceVersion":"[0-9]*"}}}$/"resourceVersion":"9000"}}}/' "$T/saved" >"$T/ahead"
load "?version=$highest" "$T/ahead"
is "$(ask GET "$maps?watch=1&timeoutSeconds=1&resourceVersion=$highest")" "" \
	"... and a watch may begin there"
load "?version=5000" /dev/null
ask GET /apis/example.com/v1 >/dev/null
is "$(code) $(ask GET $maps | jq -c '[.items[].metadata.name]')" \
	'404 ["kube-root-ca.crt"]' "no lines: a new cluster"

# Errors.
bad() {
	printf '%s\n' "$2" >"$T/bad"
	load "$1" "$T/bad" | jq -r '"\(.code) \(.message)"'
}
is "$(bad '?versions=1' '')" '422 unknown parameter "versions": want version, '\
'seed or number' "a parameter that there is not"
is "$(bad '?seed=x' '')" '422 parameter "seed": want a number from 0' \
	"one that is not a number"
ask POST $maps "$(config_map kept)" >/dev/null
is "$(bad '' '{"kind":"x"}')" '422 load:1: not an object of Kubernetes: '\
'apiVersion or kind is missing' "a bad line"
ask GET $maps/kept >/dev/null
is "$(code)" 200 "... all is as it was"
is "$(bad '' "$(config_map a)")" '422 load:1: ConfigMap a: '\
'metadata.namespace is missing' "an object that cannot be"
ask GET $maps/kept >/dev/null
is "$(code)" 404 "... the cluster is a new one"
is "$(bad '?version=101' '' | sed 's/1[0-9]* already/N already/')" \
	'422 parameter "version": an object has version N already' \
	"a version that is too low"
is "$(ask GET /kapi/load | jq -r .message)" \
	"want POST on /kapi/load, GET on /kapi/save" "a bad method"

# The seed.
load "?version=300&number=0&seed=7" "$T/saved"
for name in one two; do
	load "?version=300&seed=7" "$T/saved"
	[ $name = one ] || ask GET $maps >/dev/null
	ask POST $maps '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"g-"}}' |
		jq -c '[.metadata.name, .metadata.uid]' >"$T/$name"
	ask POST /api/v1/namespaces/default/services "$(service n)" |
		jq -c '[.metadata.uid, .spec.clusterIP, .spec.ports]' >>"$T/$name"
done
same "$T/one" "$T/two" "the same seed gives the same"
load "?version=300&seed=8" "$T/saved"
ask POST $maps '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"g-"}}' |
	jq -c '[.metadata.name, .metadata.uid]' >"$T/two"
ask POST /api/v1/namespaces/default/services "$(service n)" |
	jq -c '[.metadata.uid, .spec.clusterIP, .spec.ports]' >>"$T/two"
is "$(jq -c '.[]' "$T/one" "$T/two" | sort | uniq -d)" "" \
	"another seed gives others"

# Memory: 2,000 times, in one connection.
resident() {
	ask GET /metrics | sed -n 's/^process_resident_memory_bytes //p'
}
# A sanitizer is slow and does not give memory back; it reports what is lost.
many=1000
! nm -D "$BIN/kapi" | grep -q __asan_init || many=20
loads() {
	for ((i = 0; i < many; i++)); do
		[ "$i" = 0 ] || echo next
		printf 'url = "%s/kapi/load"\ndata-binary = "@%s"\nfail\noutput = /dev/null\n' \
			"$url" "$T/saved"
	done >"$T/loads"
	curl -sS --max-time 300 -K "$T/loads"
}
ok "$many clusters are loaded" loads
first=$(resident)
ok "... and as many more" loads
grown=$((($(resident) - first) / 1024))
[ "$many" = 1000 ] || grown=0
ok "... in the same memory: $grown KiB more" test "$grown" -lt 256
kapi_down
wait_for 10 grep -q '"/metrics"' "$T/journal"

# Without a request, and from the command line.
: >"$T/none"
for _ in 1 2; do
	kapi_up --seed 3 --load "$T/none"
	ask GET $maps/kube-root-ca.crt | jq -r .metadata.uid >>"$T/uids"
	kapi_down
done
is "$(sort -u "$T/uids" | wc -l)" 1 "kapi agrees with another of the same seed"
runs 100 "changes without a journal" timeout 300 kapi --journal-changes
is "$(<"$T/err")" "kapi: fatal: option --journal-changes: needs --journal" \
	"... are refused"
done_testing
