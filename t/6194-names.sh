#!/bin/bash
# A name is a name: roles may have anything in theirs but / and %, and servers
# escape what others do not. Members, primaries, owners, marks, deletions and
# recordings of roles with such names, end to end.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
for name in prim other; do
	kubectl create namespace $name >/dev/null
done

kubectl create -f - >/dev/null <<'X'
{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",
 "metadata":{"name":"user1"},"subjects":[{"kind":"User","name":"user1"}],
 "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"}}
X
wait_for 20 has_right user1 "*" "*.*" --all-namespaces

jq -nc '["plain", "a<b>&c", "say \"hi\"", "back\\slash", "it'\''s `x`",
	"two words", " v1 x y", "line\u2028para\u2029end", "\u001b[31mred\u007f",
	"one\u0001two\ttab\nnewline", "smile \ud83d\ude00 \u00fc",
	"\u202egnp", "ends in \\", "a=b,c?d#e;f:g+h"]' >"$T/names"
count=$(jq length "$T/names")
# roles NAMESPACE RULES [LABEL]: each as a document
roles() {
	jq -c --arg ns "$1" --argjson rules "$2" 'to_entries[] | {
		apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role",
		metadata: {name: .value, namespace: $ns,
			labels: {i: "n\(.key)"}}, rules: $rules}' "$T/names"
}

cat >"$T/watches.yaml" <<'X'
- group: rbac.authorization.k8s.io
  version: v1
  kind: Role
  program: primary.jq
  namespaces: [prim]
  manageStatus: false
  finalizer: example.com/names
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: [prim, other]}
- group: example.com
  version: v1
  kind: Thing
  program: member.jq
  namespaces: [default]
  dependents:
  - {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, manage: true, namespaces: [default]}
  related:
  - {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, namespaces: [prim], map: {field: "spec.names[]", namespace: prim}}
X
cat >"$T/primary.jq" <<'X'
include "operator";
def desired: .primary.metadata as $m
  | [config_map("of-\($m.labels.i)"; {}; {name: $m.name}),
     (config_map("of-\($m.labels.i)"; {}; {name: $m.name})
      | .metadata.namespace = "other")];
X
cat >"$T/member.jq" <<'X'
include "operator";
def desired: [.primary.spec.names[] | {
  apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role",
  metadata: {name: .},
  rules: [{apiGroups: [""], resources: ["pods"], verbs: ["get"]}]}];
def status: {outstanding: (.outstanding | length),
  owned: [.owned.Role[].metadata.name],
  named: [.related.Role[].metadata.name]};
X

roles prim '[]' | kubectl create -f - >/dev/null
thing a "{\"names\":$(<"$T/names")}" >/dev/null
is "$(kubectl get roles -n prim -o json |
	jq -c --slurpfile names "$T/names" '$names[0] - [.items[].metadata.name]')" \
	"[]" "the server takes these names"

audit_mark
start kpipe -f "$T/watches.yaml" --record "$T/recording" \
	--kubeconfig "$(config user1)" 2>"$T/err"
kpipe=$!

# status_is KEY: that list of the Thing's status has all names
status_is() {
	kubectl get thing a -o json | jq -e --slurpfile names "$T/names" \
		".status.outstanding == 0 and
		(.status.$1 | sort) == (\$names[0] | sort)"
}
# owners NAMESPACE: how many config maps have the name, and the right owner
owners() {
	kubectl get roles -n prim -o json >"$T/roles"
	kubectl get configmaps -n "$1" -o json | jq --slurpfile r "$T/roles" \
		'[$r[0].items[].metadata] as $roles
		| [.items[] | select(.metadata.name | startswith("of-n"))
		| . as $o | select(any($roles[]; .name == $o.data.name
			and ("of-" + .labels.i) == $o.metadata.name and
			if $o.metadata.ownerReferences then
				.uid == $o.metadata.ownerReferences[0].uid and
				.name == $o.metadata.ownerReferences[0].name
			else $o.metadata.annotations["kpipe.dev/member"] ==
				"Role.rbac.authorization.k8s.io/prim/\(.name
				) ConfigMap/other/\($o.metadata.name)"
			end))] | length'
}
has_owners() {
	[ "$(owners "$1")" = "$count" ]
}
ok "members are made, seen, and as desired" wait_for 60 status_is owned
ok "... related objects are found by their names" status_is named
ok "owner references have the owner's name" wait_for 60 has_owners prim
ok "... and marks, in another namespace" wait_for 60 has_owners other
ok "nothing is written any more" rests 3 audit_writes user1
is "$(audit_writes user1 | grep -c delete)" 0 "... and nothing was deleted"
is "$(audit_writes user1 | grep " 201$" | grep -vcE " (secrets|events) ")" $((3 * count)) \
	"... each object was created once"

# delete_roles NAMESPACE: each, by its name
delete_roles() {
	local name

	while read -r name; do
		api_delete "/apis/rbac.authorization.k8s.io/v1/namespaces/$1/roles/$name"
	done < <(jq -r '.[] | @uri' "$T/names")
}

### Repaired and made again, which needs the same identity in every stage

roles default '[]' >"$T/changed"
kapply -f "$T/changed" --force-conflicts --field-manager "a\"b<c>\\ d" \
	-o result >"$T/results"
is "$(jq -rs 'map(.result) | unique[]' "$T/results")" configured \
	"another client changes all of them"
is "$(jq -c .metadata.name "$T/results" | jq -cs sort)" \
	"$(jq -c sort "$T/names")" "... its results name them"
rules() {
	kubectl get roles -n default -o json | jq -e '[.items[] |
		select(.metadata.ownerReferences) | .rules | length == 1] | all'
}
ok "... it is undone" wait_for 60 rules
gone_and_back() {
	kubectl get roles -n default -o json | jq -e --slurpfile before \
		"$T/before" '[$before[0].items[].metadata.uid] as $old
		| [.items[] | select(.metadata.ownerReferences)]
		| length == '"$count"' and
		all(.[]; .metadata.uid as $u | $old | index($u) | not)'
}
kubectl get roles -n default -o json >"$T/before"
delete_roles default
ok "deleted: each comes back" wait_for 60 gone_and_back
ok "... and it is seen" wait_for 60 status_is owned
audit_mark
kubectl patch thing a --type=merge -p '{"spec":{"names":[]}}' >/dev/null
no_roles() {
	kubectl get roles -n default -o json |
		jq -e '[.items[] | select(.metadata.ownerReferences)] == []'
}
ok "no longer desired: each is deleted" wait_for 60 no_roles
ok "... at rest" rests 2 audit_writes user1
is "$(audit_writes user1 | grep -c "delete roles")" "$count" "... once"
delete_roles prim
none_left() {
	[ "$(kubectl get roles,configmaps -n prim -o json |
		jq '[.items[].metadata.name | select(. != "kube-root-ca.crt")]
			| length')" = 0 ] && [ "$(owners other)" = 0 ]
}
ok "primaries go, with all that is theirs" wait_for 60 none_left

### The recording

kill -TERM "$kpipe"
wait "$kpipe"
is "$(krecord cat "$T/recording" | jq -n '[inputs | select(.manager // "" |
	contains("a\"b<c>\\ d")) | .object.metadata.name] | unique | length')" \
	"$count" "events name another client"
bad=
while read -r quoted; do
	name=$(jq -r . <<<"$quoted")
	kwhy role "default/$name" "$T/recording" >"$T/why" 2>/dev/null || bad+=" kwhy:$quoted"
	grep -q "kapply: created" "$T/why" || bad+=" created:$quoted"
	grep -q "kapply: deleted" "$T/why" || bad+=" deleted:$quoted"
	krecord cut --object "Role/default/$name" "$T/recording" 2>"$T/cut.err" |
		jq -c 'select(.record == "result") | .line.metadata.name' |
		grep -qxF "$quoted" || bad+=" cut:$quoted"
	[ ! -s "$T/cut.err" ] || bad+=" cut.err:$quoted"
	kview --term --object "Role/default/$name" "$T/recording" |
		grep -q "created" || bad+=" kview:$quoted"
done < <(jq -c '.[] | select(contains("\n") | not)' "$T/names")
is "$bad" "" "kwhy, krecord and kview find each by its name"
done_testing
