# shellcheck shell=bash disable=SC2154
# Objects that pretend to be a victim's, and a victim's that are to be had.

victim="Target.attack.example.com/victim/v"
victim_uid=$(api "$targets/victim/targets/v" | jq -r .metadata.uid)

# config_map USER NAMESPACE NAME METADATA-MEMBERS
config_map() {
	as "$1" POST "$(configmaps "$2")" "{\"metadata\":{\"name\":\"$3\"${4:+,$4}},
		\"data\":{\"k\":\"forged\"}}" >/dev/null
}

is_mine() {
	status_of victim v '.mine[]' | grep -qx "$1"
}
not_mine() {
	! is_mine "$1"
}
# stays NAMESPACE NAME: after an evaluation of the victim
stays() {
	followed && there "$(configmaps "$@")" && not_mine "$1/$2"
}
unchanged() {
	followed && [ "$(api "$(configmaps "$1" "$2")" | jq -r .data.k)" = "$3" ]
}

section "membership"
forged=$(marks "$victim" ConfigMap/tenant/f0)
tries "marks of the victim on an object of her own" \
	config_map mallory tenant f0 "$forged"
gets "it is not a member, and stays" stays tenant f0
tries "... with a proof copied from the victim's member" config_map mallory \
	tenant f1 "$(marks "$victim" ConfigMap/tenant/f1 "$(configmaps sys victim.v)")"
gets "it is not a member, and stays" stays tenant f1
copied=$(api "$(configmaps sys victim.v)" | jq -c '.metadata
	| {labels, annotations}' | sed 's/^{//;s/}$//')
tries "all marks of the victim's member, copied" \
	config_map mallory tenant f2 "$copied"
gets "it is not a member, and stays" stays tenant f2
tries "... under the member's own name" \
	config_map mallory tenant victim.v "$copied"
gets "it is not a member, and stays" stays tenant victim.v
tries "the label alone" config_map mallory tenant f3 \
	"\"labels\":{\"kpipe.dev/part-of\":\"$(part_of "$victim")\"}"
gets "it is not a member, and stays" stays tenant f3
tries "the annotation alone" config_map mallory tenant f4 \
	"\"annotations\":{\"kpipe.dev/member\":\"$victim ConfigMap/tenant/f4\"}"
gets "it is not a member, and stays" stays tenant f4
proof=$(api "$(configmaps sys victim.v)" | jq -r '.metadata.annotations["kpipe.dev/proof"] // "x"')
for bad in "" "AAAA" "${proof%?}" "${proof}A" "null" "$(printf 'A%.0s' {1..5000})"; do
	name=p$attacks
	tries "an invalid proof: $(printf %.12s "$bad")" config_map mallory tenant \
		"$name" "$(marks "$victim" "ConfigMap/tenant/$name" |
			jq -c --raw-input --arg p "$bad" '"{" + . + "}" | fromjson
				| .annotations["kpipe.dev/proof"] = $p' |
			sed 's/^{//;s/}$//')"
	gets "it is not a member, and stays" stays tenant "$name"
done

# owner KIND NAME UID [API-VERSION] [CONTROLLER]
owner() {
	printf '"ownerReferences":[{"apiVersion":"%s","kind":"%s","name":"%s","uid":"%s","controller":%s}]' \
		"${4:-attack.example.com/v1}" "$1" "$2" "$3" "${5:-true}"
}
# Later the garbage collector deletes such an object; the operator does not.
not_by_operator() {
	followed && not_mine "tenant/$1" &&
		! audit_writes user1 | grep -q "delete configmaps tenant/$1 "
}
tries "an owner reference to the victim, from another namespace" \
	config_map mallory tenant o0 "$(owner Target v "$victim_uid")"
gets "it is not a member" not_by_operator o0
tries "... to the victim's uid by another kind and name" \
	config_map mallory tenant o1 "$(owner Nonsense zzz "$victim_uid" other/v9)"
gets "it is not a member" not_by_operator o1
tries "... that is not a controller's" config_map mallory tenant o2 \
	"$(owner Target v "$victim_uid" attack.example.com/v1 false)"
gets "it is not a member" not_by_operator o2

# A user in the victim's namespace who may only write ConfigMaps.
may writer get,create,patch,update configmaps victim
member_of_victim() {
	followed && not_mine "victim/$1" && there "$(configmaps victim "$1")" &&
		! audit_writes user1 | grep -q "delete configmaps victim/$1 "
}
tries "in the victim's namespace: the right uid, another name" \
	config_map writer victim w0 "$(owner Target other "$victim_uid")"
gets "no delete of the operator" not_by_operator w0
tries "in the victim's namespace: no controller" config_map writer victim w1 \
	"$(owner Target v "$victim_uid" attack.example.com/v1 false)"
gets "it stays" member_of_victim w1

# A user who may patch an object, but not delete it.
may patcher get,patch configmaps sys
deprecious() {
	as patcher PATCH "$(configmaps sys precious)" "{\"metadata\":{$(marks \
		"$1" ConfigMap/sys/precious "$(configmaps sys tenant.mine)")}}" >/dev/null
}
thing mine '{"x":"x"}'
wait_for 20 available mine
tries "marks of her own object on one that she may only patch" \
	deprecious Target.attack.example.com/tenant/mine
gets "it stays" stays sys precious
as patcher PATCH "$(configmaps sys precious)" '{"metadata":{"labels":null,"annotations":null}}' >/dev/null
tries "... of the victim" deprecious "$victim"
gets "it stays" stays sys precious
as patcher PATCH "$(configmaps sys precious)" '{"metadata":{"labels":null,"annotations":null}}' >/dev/null
tries "an own object whose member has that name" thing precious \
	'{"x":"x","near":true,"items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"precious","namespace":"sys"},"data":{"k":"taken"}}]}'
gets "Failed: it is not part of hers" failed precious 'exists and is not part of'
tries "... and that precious is not changed" true
gets "it has its value" unchanged sys precious v

# Her finalizer on an object, so that the victim's deletion would wait for it.
target victim victim end '{"x":"x","beat":0}' >/dev/null
wait_for 20 there "$(configmaps sys victim.end)"
tries "a forged member with a finalizer, so that a victim's object never goes" \
	config_map mallory tenant hold "\"finalizers\":[\"tenant.example/hold\"],$(
		marks Target.attack.example.com/victim/end ConfigMap/tenant/hold \
			"$(configmaps sys victim.end)")"
as victim DELETE "$targets/victim/targets/end" >/dev/null
gets "it goes" api_gone "$targets/victim/targets/end"
as mallory PATCH "$(configmaps tenant hold)" '{"metadata":{"finalizers":null}}' >/dev/null

# 130 forged members, which would reach the prune limit.
forge_many() {
	jq -cn --arg l "$(part_of "$victim")" --arg v "$victim" '
		range(130) | {apiVersion: "v1", kind: "ConfigMap", metadata: {
			name: "m\(.)", namespace: "tenant",
			labels: {"kpipe.dev/part-of": $l},
			annotations: {"kpipe.dev/member": "\($v) ConfigMap/tenant/m\(.)"}}}' |
		kubectl apply --as mallory -f - >/dev/null
}
pruned() {
	api_gone "$(configmaps victim v-port-1)"
}
as victim PATCH "$targets/victim/targets/v" '{"spec":{"ports":["1"]}}' >/dev/null
wait_for 20 there "$(configmaps victim v-port-1)"
tries "130 forged members, for the prune limit" forge_many
as victim PATCH "$targets/victim/targets/v" '{"spec":{"ports":null}}' >/dev/null
gets "the victim's own pruning works" pruned
ports() {
	as mallory PATCH "$targets/tenant/targets/mine" "{\"spec\":{\"ports\":$(
		jq -cn "[range($1) | tostring]")}}" >/dev/null
}
hundred() {
	[ "$(api "$(configmaps tenant)" |
		jq '[.items[].metadata.name | select(startswith("mine-port-"))] | length')" -ge "$1" ]
}
prune_many() {
	ports 150
	wait_for 60 hundred 150
	ports 0
}
as victim PATCH "$targets/victim/targets/v" '{"spec":{"ports":["1"]}}' >/dev/null
wait_for 20 there "$(configmaps victim v-port-1)"
tries "150 members of her own, dropped at once, for the prune limit" prune_many
as victim PATCH "$targets/victim/targets/v" '{"spec":{"ports":null}}' >/dev/null
gets "the victim's own pruning works" pruned

section "items that are objects of others"
item() {
	local name=i$attacks

	tries "$1" thing "$name" "{\"x\":\"x\",\"near\":true,\"items\":[$2]}"
	gets "Failed, with a reason" failed "$name" "${3:-.}"
}
item "an item that is her own primary" \
	'{"apiVersion":"attack.example.com/v1","kind":"Target","metadata":{"name":"i'"$((attacks))"'"},"spec":{}}'
item "an item that is the victim" \
	'{"apiVersion":"attack.example.com/v1","kind":"Target","metadata":{"name":"v","namespace":"victim"},"spec":{}}'
item "an item that is the victim's member" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"v","namespace":"victim"},"data":{"k":"x"}}' \
	'exists and is not part of'
item "an item that is the victim's marked member" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"victim.v","namespace":"sys"},"data":{"k":"x"}}' \
	'exists and is not part of'
item "an item of a kind that is not managed" \
	'{"apiVersion":"v1","kind":"Secret","metadata":{"name":"credentials","namespace":"sys"},"data":{}}' \
	'not a dependent'
item "a ClusterRoleBinding" \
	'{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"all"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},"subjects":[]}' \
	'not a dependent'
item "an item without a name" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}'
item "an item whose name is a path" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"../../secrets/credentials","namespace":"sys"}}'
item "an item whose namespace is a path" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"../../../api/v1/namespaces/sys"}}'
item "an item whose name is a query" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"precious?force=true&fieldManager=x","namespace":"sys"}}'
item "two items of the same name" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two"}},{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two"}}'
item "an item with a uid" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"precious","namespace":"sys","uid":"'"$(api "$(configmaps sys precious)" | jq -r .metadata.uid)"'"}}'
item "an item with a resourceVersion" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"precious","namespace":"sys","resourceVersion":"1"}}'
item "an item with the victim's owner reference" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"precious","namespace":"sys",'"$(owner Target v "$victim_uid")"'}}'
item "an item in the namespace of the system" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kube-root-ca.crt","namespace":"kube-system"},"data":{"ca.crt":"x"}}' \
	'exists and is not part of'
