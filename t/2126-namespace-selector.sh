#!/bin/bash
# ireconcile: namespaceSelector. What is in a namespace counts while a Namespace
# with such labels is seen.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
# selecting LINE...: watches.yaml with these lines before the dependents
selecting() {
	watches "$@" dependents: '- {apiVersion: v1, kind: ConfigMap, manage: true}'
}
selecting 'namespaceSelector: {matchLabels: {team: a}}'
sed -i 's/pods: .*}/pods: []}/' "$T/program.jq"
# room NAME [TEAM [RV]]: a Namespace
room() {
	printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s","uid":"ns-%s","resourceVersion":"%s"%s}}' \
		"$1" "$1" "${3:-1}" "${2:+,\"labels\":{\"team\":\"$2\"\}}"
}
# in_b COMMAND...: of the namespace b, whose objects have other uids
in_b() { where=b "$@" | sed 's/uid-/uid-b-/g'; }
all() { begin v1 Namespace && initially "$@" && end v1 Namespace; }

given all "$(room ns a)" "$(room b b)" "$(thing a 1 "" "$(spec 1 v)")" \
	"$(in_b thing a 1 "" "$(spec 1 v)")"
want creates a 1
replay 0 "primaries of a namespace with the labels, and no others"
says "" "... silently"
and event MODIFIED "$(room b a 2)"
creates a 1 | sed 's/"namespace":"ns"/"namespace":"b"/g; s/uid-/uid-b-/g; s,ConfigMap/ns/,ConfigMap/b/,g' >>"$T/want"
replay 0 "... until the other one has them"
and event ADDED "$(in_b object ConfigMap other 3)"
and event MODIFIED "$(room b "" 3)"
and event MODIFIED "$(in_b thing a 4 "" "$(spec 2 w)")"
line "" a 1 | sed 's/"namespace":"ns"/"namespace":"b"/g; s/uid-/uid-b-/g' >>"$T/want"
replay 0 "... and when it has not, what was asked for is cancelled"
and event DELETED "$(room ns a 4)"
line "" a 1 >>"$T/want"
replay 0 "... as when the Namespace is gone"

# The objects come before the Namespace, and go after it.
given all
and event ADDED "$(observed a-0 a v 2)"
and event ADDED "$(observed a-1 a v 2)"
and event ADDED "$(thing a 1 "" "$(spec 1 v)")"
and event ADDED "$(room ns a)"
want line "" a 1 '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"ns","name":"a-1","uid":"uid-a-1"}],'"$(status true),$(on_error)"
replay 0 "a namespace that is selected with what is in it: all is seen at once"
and event DELETED "$(room ns a 2)"
line "" a 1 >>"$T/want"
for name in a-0 a-1; do
	and event DELETED "$(observed $name a v 3)"
done
and event DELETED "$(thing a 1 "" "$(spec 1 v)")"
replay 0 "... it goes: nothing is repaired, created or deleted"
and event ADDED "$(observed a-0 a v 5)"
and event ADDED "$(thing a 6 "" "$(spec 1 v),$(status false)")"
and event ADDED "$(room ns a 7)"
replay 0 "... it comes again, as it is desired"
says "" "... nothing is said, because nothing hangs"

# A finalizer that nobody removes.
selecting 'namespaceSelector: team=a' 'finalizer: example.com/f'
echo 'def finalize: {done: true};' >>"$T/program.jq"
held='"finalizers":["example.com/f"]'
given all "$(room ns a)" "$(thing a 1 "$held" "$(spec 0 v),$(status false)")" \
	"$(thing b 1 "$held" "$(spec 0 v),$(status false)")" \
	"$(thing c 1 "" "$(spec 0 v),$(status false)")"
and event MODIFIED "$(room ns b 2)"
and event MODIFIED "$(thing a 2 "$held,$dying" "$(spec 0 v),$(status false)")"
silent 0 "primaries with a finalizer, of a namespace that loses the labels"
says "ireconcile: warning: thing.example.com: namespace ns has no longer the labels team=a: 2 there have a finalizer, and are not served: what was made for them stays, and a deletion waits; label the namespace, or remove the finalizers when all is cleaned up" \
	"... are told"
and event MODIFIED "$(room ns a 3)"
want line "" a 2 '"finalizers":{"remove":["example.com/f"]},"deleting":true'
decided 0 "the label comes again"
is "$(jq -c '[.reconcile.primary.name, .reconcile.finalizers.remove[0]]' "$T/out")" \
	'["a","example.com/f"]' "... and what is being deleted is cleaned up"

# namespaces and namespaceSelector: both count. Of -n, too.
write_program
sed -i 's/pods: .*}/pods: []}/' "$T/program.jq"
selecting 'namespaceSelector: team=a' 'namespaces: [ns, c]'
given all "$(room ns a)" "$(room b a)" "$(room c)" \
	"$(thing a 1 "" "$(spec 1 v)")" "$(in_b thing a 1 "" "$(spec 1 v)")" \
	"$(where=c thing c 1 "" "$(spec 1 v)")"
want creates a 1
replay 0 "namespaces beside it: both have to name it"
selecting 'namespaceSelector: team=a'
replay 0 "... so does -n" -n ns,c
replay 0 "... and WATCH_NAMESPACE" -n ns

# Primaries of a namespace that is there are decided about before all others are
# there; those that may see others wait.
first() {
	begin_all
	begin v1 Namespace
	event ADDED "$(thing a 1 "" "$(spec 1 v)")"
	event ADDED "$(room ns a)"
	end_all
}
given first
decided 1 "the end of the Namespaces does not come"
is "$(jq -r .reconcile.primary.name "$T/out")" a "... what is known is decided"
selecting 'namespaceSelector: team=a' 'finalizer: example.com/f'
decided 1 "... with members in other namespaces"
is "$(<"$T/out")" "" "... nothing is"

# A kind with a selector of its own.
watches dependents: \
	'- {apiVersion: v1, kind: ConfigMap, manage: true, namespaceSelector: "team in (a,b)"}' \
	related: '- {apiVersion: v1, kind: Secret, namespaceSelector: team=b}' \
	"- {apiVersion: v1, kind: Pod, namespaceSelector: team=b, map: {field: spec.pod, namespaceField: spec.ns}}"
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "x", namespace: .primary.spec.ns}}];
def status: {error, secrets: [.related.Secret[].metadata.name], pods: [.related.Pod[].metadata.name]};
END
sed -i '/scope/d; s/  program/  scope: Cluster\n&/' "$T/watches.yaml"
cluster() { thing "$1" "$2" "" "\"spec\":{\"ns\":\"$3\",\"pod\":\"p\"}" | sed 's/"namespace":"ns",//'; }
given all "$(room ns a)" "$(room b b)" "$(room c c)" "$(cluster a 1 b)" \
	"$(cluster c 1 c)" "$(object Secret s 1)" "$(in_b object Secret sb 1)" \
	"$(object Pod p 1)" "$(in_b object Pod p 1)"
decided 1 "kinds with selectors of their own"
is "$(jq -c '[.reconcile.primary.name, (.items | length), .reconcile.status.secrets, .reconcile.status.pods]' "$T/out")" \
	'["a",1,["sb"],["p"]]
["c",0,["sb"],[]]' "... see what is there"
is "$(jq -r 'select(.reconcile.primary.name == "c").reconcile.status.error' "$T/out")" \
	"ConfigMap/c/x would be created and never observed again: namespace c is not watched for ConfigMap, of the dependent at $T/watches.yaml:7; give the namespace such labels, or change what is watched: namespaces with the labels team in (a,b)" \
	"an item in another namespace is refused"
is "$(jq -r '.reconcile.events[]?.message' "$T/out")" \
	"names Pod c/p, but $T/watches.yaml:10 watches the kind only in namespaces with the labels team=b: as if it did not exist" \
	"a name that leads there is told"
and event MODIFIED "$(room c b 2)"
decided 1 "... a namespace gets the labels"
is "$(jq -c '[.reconcile.primary.name, (.items | length)]' "$T/out" | tail -n 1)" \
	'["c",1]' "... and its primary is evaluated"

and event MODIFIED "$(room b c 3)"
decided 1 "... and one loses them"
is "$(jq -r 'select(.reconcile.primary.name == "a").reconcile.status.error' "$T/out" |
	tail -n 1 | grep -o 'ConfigMap/b/x would be created')" \
	"ConfigMap/b/x would be created" "... what is desired there is refused"

done_testing
