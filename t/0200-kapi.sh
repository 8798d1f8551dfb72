#!/bin/bash
# kapi from end to end: objects and the requests that change them, by curl; then
# our own tools on it. t/9900-parity.sh compares every answer with that of a
# real API server.
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/kapi.sh
. "${0%/*}/kapi.sh"

command -v curl >/dev/null || skip_all "needs curl"
kapi_up
maps=/api/v1/namespaces/default/configmaps
merge=application/merge-patch+json

# said FILTER: applies jq to the last answer.
said() {
	jq -r "$1" <<<"$answer"
}

# does STATUS METHOD PATH ...: sends a request and tests the status.
does() {
	local status=$1 what=$1

	shift
	what="$1 $2: $what"
	answer=$(ask "$@")
	is "$(code)" "$status" "$what"
}

does 201 POST "$maps" '{"metadata":{"name":"a"},"data":{"k":"v"}}'
is "$(said '[.kind, .apiVersion, .metadata.namespace, .data.k] | join(" ")')" \
	"ConfigMap v1 default v" "what was sent comes back, with its type"
is "$(said '.metadata | [(.uid | length), (.creationTimestamp | length),
	(.resourceVersion | tonumber > 0), .managedFields[0].manager] |
	join(" ")')" "36 20 true test" "... and what the server sets"
version=$(said .metadata.resourceVersion)
uid=$(said .metadata.uid)

does 500 POST "$maps" '{"metadata":{"name":"new","resourceVersion":"'"$version"'"}}'
is "$(said .message)" "resourceVersion should not be set on objects to be created" \
	"... a new object has no version"
does 201 POST "$maps" '{"metadata":{"name":"zero","resourceVersion":"0"}}'
does 201 POST "$maps?dryRun=All" '{"metadata":{"name":"new","resourceVersion":"5"}}'
does 422 POST "$maps" '{"metadata":{"name":"A","resourceVersion":"5"}}'
does 409 POST "$maps" '{"metadata":{"name":"a"}}'
is "$(said .reason)" AlreadyExists "... once"
does 200 PUT "$maps/a" '{"metadata":{"name":"a"},"data":{"k":"w"}}'
does 409 PUT "$maps/a" '{"metadata":{"name":"a","resourceVersion":"'"$version"'"}}'
is "$(said .reason)" Conflict "optimistic locking"
does 409 PUT "$maps/a" '{"metadata":{"name":"a","uid":"other"}}'
is "$(said .reason)" Conflict "... of another object of that name"

# Nothing changes: nothing is written.
does 200 PATCH "$maps/a" '{"data":{"l":"1"}}' "$merge"
version=$(said .metadata.resourceVersion)
does 200 PATCH "$maps/a" '{"data":{"l":"1"}}' "$merge"
is "$(said .metadata.resourceVersion)" "$version" "a patch that changes nothing"
does 200 PATCH "$maps/a?dryRun=All" '{"data":{"l":"2"}}' "$merge"
is "$(said .data.l)" 2 "a dry run answers what would be"
does 200 GET "$maps/a"
is "$(said '[.data.k, .data.l, .metadata.uid] | join(" ")')" "w 1 $uid" \
	"... and keeps what is"
does 200 PATCH "$maps/a" '[{"op":"remove","path":"/data/l"}]' \
	application/json-patch+json
is "$(said '.data | tojson')" '{"k":"w"}' "JSON patch"

# Server-side apply.
apply=application/apply-patch+yaml
does 201 PATCH "$maps/b?fieldManager=one" \
	'{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {x: "1", y: "1"}}' "$apply"
does 409 PATCH "$maps/b?fieldManager=two" \
	'{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {x: "2"}}' "$apply"
is "$(said '.details.causes[0] | .reason + " " + .field')" \
	"FieldManagerConflict .data.x" "a conflict names the field"
does 200 PATCH "$maps/b?fieldManager=two&force=true" \
	'{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {x: "2"}}' "$apply"
does 200 PATCH "$maps/b?fieldManager=one" \
	'{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}' "$apply"
is "$(said '.data | tojson')" '{"x":"2"}' "a field that is no longer applied goes"

# Deletion: finalizers hold an object; policies and preconditions.
does 201 POST "$maps" '{"metadata":{"name":"f","finalizers":["example.com/f"]}}'
does 409 DELETE "$maps/f" '{"preconditions":{"uid":"other"}}'
does 200 DELETE "$maps/f"
is "$(said '.metadata.deletionTimestamp | length')" 20 "it is being deleted"
does 422 PATCH "$maps/f" '{"metadata":{"finalizers":["example.com/f","example.com/g"]}}' "$merge"
does 200 PATCH "$maps/f" '{"metadata":{"finalizers":null}}' "$merge"
does 404 GET "$maps/f"
does 200 DELETE "$maps/b"
is "$(said '[.kind, .status, .details.kind] | join(" ")')" \
	"Status Success configmaps" "an object that goes at once"

# A body as clients in Go send it: {metadata: {name: pb}, data: {k: v}}.
printf 'k8s\0\n\017\n\002v1\022\011ConfigMap\022\016\n\004\n\002pb\022\006\n\001k\022\001v\032\0"\0' \
	>"$T/pb"
does 201 POST "$maps" "@$T/pb" application/vnd.kubernetes.protobuf
is "$(said '[.metadata.name, .data.k] | join(" ")')" "pb v" "protobuf is read"
printf 'k8s\0\n\017\n\002v1\022\011ConfigMap\022\177\n' >"$T/pb"
does 400 POST "$maps" "@$T/pb" application/vnd.kubernetes.protobuf
is "$(said .message)" "the object provided is unrecognized (must be of type\
 ConfigMap): a message is cut short (6b3873000a0f0a0276311209436f6e6669674d6170127f0a)" \
	"... cut short: an error"

# Scale, and the defaults of a Deployment.
apps=/apis/apps/v1/namespaces/default/deployments
does 201 POST "$apps" '{"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},
	"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}'
is "$(said '[.spec.replicas, .metadata.generation, .spec.strategy.type] |
	join(" ")')" "1 1 RollingUpdate" "defaults"
does 200 PATCH "$apps/d/scale" '{"spec":{"replicas":3}}' "$merge"
is "$(said '[.kind, .spec.replicas] | join(" ")')" "Scale 3" "a Scale"
does 200 PATCH "$apps/d/status" '{"status":{"replicas":2},"spec":{"replicas":9}}' "$merge"
is "$(said '[.spec.replicas, .status.replicas, .metadata.generation] |
	join(" ")')" "3 2 2" "status alone changes through /status"
does 200 PATCH "$apps/d" '{"metadata":{"finalizers":["example.com/f"]}}' "$merge"
does 200 DELETE "$apps/d"
is "$(said .metadata.generation)" 3 "being deleted is a new generation"
first=$(said '.metadata | tojson')
does 200 DELETE "$apps/d"
is "$(said '.metadata | tojson')" "$first" "... and so once only"

# A default of the status is there from the start.
definitions=/apis/apiextensions.k8s.io/v1/customresourcedefinitions
does 201 POST "$definitions" '{"metadata":{"name":"gauges.example.com"},"spec":
	{"group":"example.com","scope":"Cluster","names":{"plural":"gauges","kind":"Gauge"},
	"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
	"schema":{"openAPIV3Schema":{"type":"object","properties":{"status":{"type":"object",
	"default":{"phase":"Pending"},"properties":{"phase":{"type":"string"}}}}}}}]}}'
gauge='{"apiVersion":"example.com/v1","kind":"Gauge","metadata":{"name":"g"},"status":{"phase":"Mine"}}'
for query in "?dryRun=All" ""; do
	does 201 POST "/apis/example.com/v1/gauges$query" "$gauge"
	is "$(said .status.phase)" Pending "... its default"
done
does 200 GET /apis/example.com/v1/gauges/g
is "$(said .status.phase)" Pending "... is kept"

# An IPAddress has its address as its name.
addresses=/apis/networking.k8s.io/v1/ipaddresses
parent='"spec":{"parentRef":{"resource":"services","name":"s"}}'
does 201 POST "$addresses" '{"metadata":{"name":"fe80::1"},'"$parent}"
does 422 POST "$addresses" '{"metadata":{"name":"010.9.8.7"},'"$parent}"

# Events of events.k8s.io are checked, those of older clients less so.
event='"metadata":{"name":"e","namespace":"default"},"eventTime":"2026-01-01T00:00:00.000000Z",
	"reportingController":"a/b","reportingInstance":"i","action":"a","type":"Normal"'
events=/apis/events.k8s.io/v1/namespaces/default/events
does 422 POST "$events" "{$event}"
is "$(said .message)" 'Event "e" is invalid: reason: Required value' "... why"
does 201 POST "$events" "{$event,\"reason\":\"r\"}"
does 422 PATCH "$events/e" '{"note":"n"}' "$merge"
does 200 PATCH "/api/v1/namespaces/default/events/e" '{"message":"m"}' "$merge"

# A Binding is not a review: its Pod gets a node.
does 201 POST /api/v1/namespaces/default/pods \
	'{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}'
does 201 POST /api/v1/namespaces/default/bindings \
	'{"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}}'
is "$(said '[.kind, .status] | join(" ")')" "Status Success" "... bound"
does 200 GET /api/v1/namespaces/default/pods/p
is "$(said .spec.nodeName)" n "... to its node"

# On a node it ends in its time, or when somebody is in a hurry.
does 200 DELETE /api/v1/namespaces/default/pods/p
is "$(said '.metadata | [.deletionGracePeriodSeconds,
	(.deletionTimestamp | length)] | join(" ")')" "30 20" "a time of grace"
does 200 GET /api/v1/namespaces/default/pods/p
does 200 DELETE "/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0"
does 404 GET /api/v1/namespaces/default/pods/p

# Requests with errors.
does 404 POST /api/v1/namespaces/none/configmaps '{"metadata":{"name":"x"}}'
is "$(said .message)" 'namespaces "none" not found' "a namespace that is not there"
does 415 POST "$maps" x text/plain
does 406 GET "$maps" '' '' -H 'Accept: text/html'
does 405 PUT "$maps" '{}'
does 422 POST "$maps?dryRun=maybe" '{"metadata":{"name":"x"}}'
does 404 GET /nothing
is "$(tail -n 1 <<<"$answer")" "404 page not found" "... in plain text"
head -c 3200000 /dev/zero | tr '\0' x >"$T/large"
does 413 POST "$maps" "@$T/large"
is "$(said .message)" "Request entity too large: limit is 3145728" "... says how much"
does 201 POST "$maps?fieldValidation=Warn" '{"metadata":{"name":"w"},"dta":{}}'
is "$(grep -i ^warning "$T/headers" | tr -d '\r')" \
	'warning: 299 - "unknown field \"dta\""' "a warning"

# Our own tools.
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"ours","namespace":"default"},"data":{"k":"v"}}' |
	kapply --kubeconfig "$T/kubeconfig" -o none >"$T/out" 2>&1
is "$? $(<"$T/out")" "0 " "kapply applies"
is "$(kwatch --kubeconfig "$T/kubeconfig" -n default --once configmaps/ours |
	jq -r 'select(.type == "ADDED") | .object.data.k')" v "kwatch sees it"
kapi_down
done_testing
