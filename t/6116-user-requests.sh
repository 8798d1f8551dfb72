#!/bin/bash
# Pause and reconcile now, by annotation, with a whole operator.
# servers: kapi real
. "${0%/*}/lib.sh"
. "${0%/*}/operator.sh"

memcacheds=/apis/cache.example.com/v1alpha1/namespaces
operator_cluster memcached
operator_rights cluster >/dev/null
export WATCH_NAMESPACE=
operator
kubectl apply -f "$folder/example.yaml" >/dev/null
ok "the example is there" kubectl wait --timeout=240s \
	--for=condition=Ready memcached/example

replicas_are() {
	[ "$(kubectl get deployment example -o jsonpath='{.spec.replicas}')" \
		= "$1" ]
}
note() {
	kubectl annotate --overwrite memcached/example "$1" >/dev/null
}
logged() {
	grep -qF "memcached.cache.example.com default/example: $1" \
		"$T/operator.log"
}

note kpipe.dev/paused=true
ok "paused: it is logged" wait_for 10 logged \
	"paused by the annotation kpipe.dev/paused"
kubectl scale deployment example --replicas=1 >/dev/null
kubectl patch memcached example --type=merge -p '{"spec":{"size":2}}' >/dev/null
silent 2 "nothing is written for what is paused"
ok "... neither drift nor a new spec" replicas_are 1
note kpipe.dev/paused-
ok "then everything is made up for" wait_for 10 replicas_are 2

note kpipe.dev/observe-only=true
ok "only observed: it is logged" wait_for 10 logged \
	"only observed, by the annotation kpipe.dev/observe-only"
kubectl scale deployment example --replicas=1 >/dev/null
event_says() { # REASON TEXT
	kubectl get events --field-selector "reason=$1" \
		-o jsonpath='{.items[*].message}' | grep -qF "$2"
}
would="configure Deployment.apps/default/example (.spec.replicas)"
ok "... what would be done is an Event" wait_for 10 event_says ObserveOnly "$would"
observed_only() {
	kubectl get memcached example -o json |
		jq -e '.status.conditions[] | select(.type == "ObserveOnly" and
			.status == "True" and (.message | contains(".spec.replicas")))' \
			>/dev/null
}
ok "... and a condition" wait_for 10 observed_only
ok "... but is not done" replicas_are 1
note kpipe.dev/observe-only-
ok "it is done when the annotation goes" wait_for 10 replicas_are 2
no_condition() { ! observed_only; }
ok "... and the condition goes" wait_for 10 no_condition

note kpipe.dev/paused=yes
has_event() {
	kubectl get events --field-selector reason=BadAnnotation \
		-o jsonpath='{.items[*].message}' | grep -qxF \
		'annotation kpipe.dev/paused: "yes" is neither "true" nor "false": the object is not paused'
}
ok "a value that means nothing is an Event" wait_for 10 has_event
kubectl scale deployment example --replicas=1 >/dev/null
ok "... and no pause" wait_for 10 replicas_are 2
note kpipe.dev/paused-
ok "Ready again" wait_for 20 is_ready "$memcacheds/default/memcacheds/example"
silent 1 "... silently"
note reconcile.fluxcd.io/requestedAt=1
silent 1 "a request where nothing is outstanding writes nothing"

# Deleted while it is paused: its objects go by their owner references.
note kpipe.dev/paused=true
paused_again() {
	[ "$(grep -c 'default/example: paused by' "$T/operator.log")" = 2 ]
}
ok "paused again" wait_for 10 paused_again
kubectl delete memcached example >/dev/null
gone() { ! kubectl get deployment example; }
ok "a paused one is deleted: the garbage collector does it" wait_for 60 gone # it looks for new kinds every 30 s
operator_stop
is "$(complaints | sed 's/^.*default\/example: //')" \
	'paused by the annotation kpipe.dev/paused
not paused any more
only observed, by the annotation kpipe.dev/observe-only
by the annotation kpipe.dev/observe-only nothing is created, changed or deleted; else this would be done: '"$would"'
not only observed any more
annotation kpipe.dev/paused: "yes" is neither "true" nor "false": the object is not paused
paused by the annotation kpipe.dev/paused' "what was logged"

done_testing
