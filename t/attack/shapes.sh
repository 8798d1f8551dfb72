# shellcheck shell=bash disable=SC2154
# Objects of other shapes than a program thinks of, metadata and statuses that
# a tenant writes, and objects that two want.

section "shapes"
# shape WHAT MEMBERS [PREDICATE WHAT]: her object with these members
shape() {
	tries "$1" as mallory POST "$targets/tenant/targets" "{\"apiVersion\":
		\"attack.example.com/v1\",\"kind\":\"Target\",\"metadata\":{\"name\":
		\"s$attacks\"},$2}" >/dev/null
	gets "${4:-Failed, with a reason}" "${3:-failed}" "s$((attacks - 1))"
}
for spec in '"x"' 5 '[1,[2]]' '""'; do
	shape "a spec that is $spec" "\"spec\":$spec"
done
shape "no spec" '"spec":null' available "as one of nothing"
shape "ports that are a text" '"spec":{"ports":"80"}'
shape "items that are a text" '"spec":{"items":"x"}'
shape "invalid items" '"spec":{"items":[null,5,[]]}'
shape "members type, object and reconcile" \
	'"type":"DELETED","object":{"kind":"Target"},"reconcile":{"delete":[{"apiVersion":"v1","kind":"Namespace","name":"victim"}]},"spec":{"x":"x"}' \
	available "as any"

# part SHAPE ITEM [PREDICATE WHAT]: her item
part() {
	tries "an item with $1" thing "r$attacks" "{\"x\":\"x\",\"near\":true,\"items\":[$2]}"
	gets "${4:-Failed, with a reason}" "${3:-failed}" "r$((attacks - 1))"
}
map='"apiVersion":"v1","kind":"ConfigMap"'
theirs="{$map,\"metadata\":{\"name\":\"precious\",\"namespace\":\"sys\"},\"data\":{\"k\":\"x\"}}"
part "a generated name" "{$map,\"metadata\":{\"generateName\":\"x-\"}}"
part "a name that is a number" "{$map,\"metadata\":{\"name\":5}}"
part "metadata that is a list" "{$map,\"metadata\":[]}"
part "labels that are a list" "{$map,\"metadata\":{\"name\":\"l1\",\"labels\":[\"a\"]}}"
part "a label that is a number" "{$map,\"metadata\":{\"name\":\"l3\",\"labels\":{\"a\":1}}}"
part "a kind that is a list" '{"apiVersion":"v1","kind":["ConfigMap"],"metadata":{"name":"l4"}}'
part "the kind List" "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{\"name\":\"l5\"},\"items\":[$theirs]}"
part "a version that is a path" '{"apiVersion":"v1/../../apis/apps/v1","kind":"ConfigMap","metadata":{"name":"l7"}}'
part "once that holds once" "{\"kpipe.dev/once\":{\"kpipe.dev/once\":$theirs}}"
part "immutable paths into metadata" "{\"kpipe.dev/immutable\":{\"object\":{$map,\"metadata\":{\"name\":\"m4\"}},\"paths\":[[\"metadata\",\"labels\"]]}}"
part "immutable paths that are numbers" "{\"kpipe.dev/immutable\":{\"object\":{$map,\"metadata\":{\"name\":\"m5\"}},\"paths\":[[0,1]]}}"
part "immutable data of what is not hers" "{\"kpipe.dev/immutable\":{\"object\":$theirs,\"paths\":[[\"data\"]]}}"
part "once of what is not hers" "{\"kpipe.dev/once\":$theirs}"
part "if-exists of what is not hers" "{\"kpipe.dev/if-exists\":$theirs}" available "left out"
precious() {
	[ "$(api "$(configmaps sys precious)" | jq -r .data.k)" = v ]
}
tries "... so that it changes" true
gets "it has its value" precious

section "metadata and statuses"
# mine NAME METADATA PREDICATE WHAT
mine() {
	tries "$1" target mallory tenant "a$attacks" '{"x":"x"}' "$2" >/dev/null
	gets "$4" "$3" "a$((attacks - 1))"
}
victims_notes=$(api "$targets/victim/targets/v" | jq -c '.metadata.annotations // {}')
mine "the victim's annotations on an object of hers" \
	"\"annotations\":$victims_notes" available "as any"
members_notes=$(api "$(configmaps sys victim.v)" | jq -c '.metadata | {labels, annotations}' | sed 's/^{//;s/}$//')
mine "a member's marks and proof on an object of hers" "$members_notes" \
	available "as any"
for period in 1ns -1h 1e9h NaN 0.0000001s 9999999999999999h; do
	mine "evaluation every $period" "\"annotations\":{\"ansible.sdk.operatorframework.io/reconcile-period\":\"$period\"}" \
		available "as any"
done
mine "a finalizer of hers" '"finalizers":["tenant.example/hold"]' available "as any"
held=a$((attacks - 1))
finalizer_gone() {
	[ "$(api "$targets/tenant/targets/$held" | jq -c .metadata.finalizers)" = '["tenant.example/hold"]' ]
}
tries "... that holds it when it is deleted" as mallory DELETE "$targets/tenant/targets/$held" >/dev/null
gets "the operator's is gone" finalizer_gone
for status in '{"conditions":5}' '{"conditions":[5,null,{}]}' \
	'{"conditions":[{"type":5},{"type":"RepairLoop","status":[]}]}' \
	'{"conditions":{"type":"Unsettled"},"phase":["Failed"]}' 7; do
	name=t$attacks
	thing "$name" '{"x":"x"}'
	tries "a status of hers: $status" as mallory PATCH \
		"$targets/tenant/targets/$name/status" "{\"status\":$status}" >/dev/null
	gets "it is the operator's again" available "$name"
done

section "objects that two want"
thing one "{\"x\":\"x\",\"near\":true,\"items\":[{$map,\"metadata\":{\"name\":\"both\"},\"data\":{\"k\":\"one\"}}]}"
wait_for 20 available one
tries "an item that another object of hers has" thing two \
	"{\"x\":\"x\",\"near\":true,\"items\":[{$map,\"metadata\":{\"name\":\"both\"},\"data\":{\"k\":\"two\"}}]}"
gets "Failed: it is not part of hers" failed two 'exists and is not part of'
is_ones() {
	[ "$(api "$(configmaps tenant both)" | jq -r .data.k)" = one ]
}
tries "... so that it changes" true
gets "it is as the first has it" is_ones
tries "the first lets go of it" as mallory PATCH "$targets/tenant/targets/one" '{"spec":{"items":null}}' >/dev/null
is_twos() {
	[ "$(api "$(configmaps tenant both)" | jq -r .data.k)" = two ]
}
GETS_SECONDS=60 gets "the second has it" is_twos
