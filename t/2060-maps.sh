#!/bin/bash
# ireconcile: which objects a primary sees (owner, label, jq, related), and
# scopes.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  operator: {image: "${THING_IMAGE:-busybox}"}
  namespaces: [ns]
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  - {apiVersion: v1, kind: Pod, namespaces: [], map: {label: thing, namespace: ns}}
  - {apiVersion: v1, kind: Service, map: {label: thing}}
  - {apiVersion: v1, kind: Event}
  - {apiVersion: events.k8s.io/v1, kind: Event}
  related:
  - {apiVersion: v1, kind: Secret, namespaces: [ops]}
  - {apiVersion: v1, kind: Node, map: {jq: '[.metadata.labels.things // "" | split(".")[] | {namespace: "ns", name: .}]'}}
END
cat >"$T/program.jq" <<'END'
def names: map("\(.metadata.namespace // "-")/\(.metadata.name)");
def desired: [];
def status: {owned: (.owned | map_values(names)),
	related: (.related | map_values(names)), image: .operator.image};
END
labelled() { # KIND NAMESPACE NAME THING
	printf '{"apiVersion":"v1","kind":"%s","metadata":{"namespace":"%s","name":"%s","uid":"%s-%s","labels":{"thing":"%s"}}}' \
		"$1" "$2" "$3" "$2" "$3" "$4"
}
{
	thing a 1
	thing b 1
	labelled Pod x one a
	labelled Pod ns two a
	labelled Pod ns-0 three a
	labelled Pod ns four c
	labelled Service x one a
	labelled Service ns two a
	labelled Secret ops pull ""
	labelled Secret ns other ""
	echo '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"things":"b.c"}}}'
	echo '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n2"}}'
	object Event e1 1 "$(owner b)"
	object Event e2 1 "$(owner b)" | sed 's/"v1"/"events.k8s.io\/v1"/;s/"controller":true,//'
} >"$T/in"
all() { # OWNED RELATED
	printf '"status":{"image":"%s","owned":{"ConfigMap":[],%s},"related":{%s}}' \
		"${3:-busybox}" "$1" "$2"
}
want line "" a 1 "$(all '"Event":[],"Event.events.k8s.io":[],"Pod":["ns/two","ns-0/three","x/one"],"Service":["ns/two"]' '"Node":[],"Secret":["ops/pull"]')"
also line "" b 1 "$(all '"Event":["ns/e1"],"Event.events.k8s.io":["ns/e2"],"Pod":[],"Service":[]' '"Node":["-/n1"],"Secret":["ops/pull"]')"
replay 0 "what two primaries see"

# A change, also of a label, reaches the primaries that saw the object before
# and those that see it now.
{
	cat "$T/in"
	begin_all
	thing a 1
	thing b 1
	end_all
	labelled Pod x one b
	labelled Pod x one a
	event DELETED "$(labelled Pod x one a)"
} >"$T/in2"
mv "$T/in2" "$T/in"
decided 0 "changes"
is "$(jq -c '[.reconcile.primary.name, .reconcile.status.owned.Pod]' <"$T/out")" \
	'["a",[]]
["b",[]]
["b",["x/one"]]
["b",[]]
["a",["x/one"]]
["a",[]]' "... reach the old and the new primary"

# Of the environment a program sees .operator and nothing else.
thing a 1 >"$T/in"
THING_IMAGE=other runs 0 "a variable of watches.yaml" \
	ireconcile -f "$T/watches.yaml" <"$T/in"
is "$(jq -r .reconcile.status.image "$T/out")" other "... is in .operator"

# A name is the same, however JSON writes it.
given echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a\"<b","namespace":"ns","uid":"uid-a","resourceVersion":"1"}}'
and object ConfigMap c 1 '"ownerReferences":[{"apiVersion":"example.com/v1","controller":true,"kind":"Thing","name":"a\"\u003cb","uid":"uid-a"}]'
decided 0 "an owner whose name is escaped"
is "$(jq -c .reconcile.status.owned.ConfigMap "$T/out")" '["ns/c"]' \
	"... owns it"
# A uid or a version with escapes does not count.
sed -i 's/uid-a/u\\"/' "$T/in"
decided 0 "a uid with escapes"
is "$(jq -c '.reconcile | [.primary.uid, .status.owned.ConfigMap]' "$T/out")" \
	'[null,[]]' "... does not count"

# A cluster-scoped primary owns objects in every namespace.
cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  scope: Cluster
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  - {apiVersion: v1, kind: Namespace, manage: true}
END
cat >"$T/program.jq" <<'END'
def desired: [
	{apiVersion: "v1", kind: "Namespace", metadata: {name: "n", namespace: "ignored"}},
	{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c", namespace: "n"}}];
END
echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","uid":"uid-a","resourceVersion":"1"}}' \
	>"$T/in"
{
	meta='"metadata":{"annotations":{"kpipe.dev/paths":"PATHS"},"name":'
	line "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",$meta\"n\",$(owner a)}},{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",$meta\"c\",\"namespace\":\"n\",$(owner a)}}" \
		a 1 '"known":{"Namespace//n":null,"ConfigMap/n/c":null}' |
		sed 's/"namespace":"ns",//'
} >"$T/want"
replay 0 "a cluster-scoped primary"

# An item of a namespaced kind needs a namespace.
sed -i 's/, namespace: "n"//' "$T/program.jq"
silent 1 "an item without namespace below it"
says "ireconcile: error: thing.example.com a: ConfigMap c has no namespace" \
	"... message"

# desiredReads.
sed -i 's/  scope: Cluster/  desiredReads: [owned, now]/' "$T/watches.yaml"
sed -i '/Namespace/d' "$T/watches.yaml"
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c"},
	data: {n: "\(.owned.ConfigMap | length) \(.now)"}}];
END
thing a 1 >"$T/in"
decided 0 "desired may read owned and now"
is "$(jq -r '.items[].data.n' "$T/out")" "0 0" "... if desiredReads says so"

# Two controllers in one file, one the dependent of the other.
cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]
- version: v1
  kind: ConfigMap
  program: second.jq
  dependents: [{apiVersion: v1, kind: Pod, manage: true}]
END
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c"}}];
END
cat >"$T/second.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "Pod", metadata: {name: .primary.metadata.name}}];
END
given thing a 1
and object ConfigMap c 2 "$(owner a)"
decided 0 "two entries"
is "$(jq -c '[.reconcile.manager, .reconcile.known]' "$T/out")" \
	'["kpipe-thing.example.com",{"ConfigMap/ns/c":"uid-c"}]
["kpipe-configmap",{"Pod/ns/c":null}]' "... each with its own set"

# Related objects that `desired` reads are followed.
watches 'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]' \
	'related: [{apiVersion: v1, kind: Secret}]'
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c"},
	data: {of: (.related.Secret | map(.data.k) | join(" "))}}];
END
secret() { object Secret s "$1" "" "\"data\":{\"k\":\"$2\"}"; }
given initially
and event ADDED "$(thing a 1)"
and event ADDED "$(secret 2 one)"
and event MODIFIED "$(secret 3 two)"
and event MODIFIED "$(secret 3 two)"
and event DELETED "$(secret 4 two)"
decided 0 "a related object"
is "$(jq -c '.items[].data.of' "$T/out" | tr '\n' ' ')" '"" "one" "two" "" ' \
	"... each of its changes is followed"
sed -i 's/(.related.*join(" "))/"x"/' "$T/program.jq"

# selector: a primary that no longer matches is no longer ours.
watches 'selector: {matchLabels: {team: x}}' \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
given initially
and event ADDED "$(thing a 1 '"labels":{"team":"x"}')"
and event ADDED "$(thing b 1 '"labels":{"team":"y"}')"
and event MODIFIED "$(thing a 2 '"labels":{"team":"y"}')"
and event MODIFIED "$(thing a 3 '"labels":{"team":"y"}')"
decided 0 "selector"
is "$(jq -c '[.reconcile.primary.name, .reconcile.primary.resourceVersion, (.items | length)]' "$T/out")" \
	'["a","1",1]
["a","1",0]' "... what it does not select is not a primary, or no longer"


# A related object that is no longer selected: kwatch may go on sending it,
# for another use of its kind.
watches 'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]' \
	related: \
	'- {apiVersion: v1, kind: Secret, selector: {matchLabels: {team: x}}}'
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c"},
	data: {of: [.related.Secret[].metadata.name] | join(" ")}}];
END
given initially
and event ADDED "$(thing a 1)"
and event ADDED "$(object Secret s 2 '"labels":{"team":"x"}')"
and event MODIFIED "$(object Secret s 3 '"labels":{"team":"y"}')"
decided 0 "a related object that is no longer selected"
is "$(jq -c '.items[].data.of' "$T/out" | tr '\n' ' ')" '"" "s" "" ' \
	"... is followed"

# An object is not ours because a map shows it; and one that is only observed is
# not pruned.
watches dependents: \
	'- {apiVersion: v1, kind: ConfigMap, manage: true, map: {label: thing}}' \
	'- {apiVersion: v1, kind: Pod}'
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {owned: (.owned | map_values(map(.metadata.name)))};
END
given thing a 1
and labelled ConfigMap ns shown a
and object ConfigMap ours 1 "$(owner a),\"labels\":{\"thing\":\"a\"}"
and object Pod ours 1 "$(owner a)"
gone='{"apiVersion":"v1","kind":"ConfigMap","namespace":"ns","name":"ours","uid":"uid-ours"}'
shown='"status":{"owned":{"ConfigMap":["ours","shown"],"Pod":["ours"]}}'
line "" a 1 "\"delete\":[$gone],$shown,\"onError\":{${shown#*:{}" >"$T/want"
replay 0 "only what is ours and managed is pruned"

done_testing
