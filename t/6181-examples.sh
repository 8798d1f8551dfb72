#!/bin/bash
# Examples of doc/program.md as operators, one after another: keep, exactly,
# retain, delete_foreign, order, as_seen, once. t/6189-patch-only.sh and
# t/6192-random.sh have others.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start

# spec PATCH: of t
spec() {
	kubectl patch thing t --type merge -p "{\"spec\":$1}" >/dev/null
}
# status_is JQ WANT: of t
status_is() {
	[ "$(kubectl get thing t -o json | jq -c ".status | $1")" = "$2" ]
}
fails() { # COUNT WHAT: how many errors are logged
	is "$(grep -c error: "$T/err")" "$1" "$2" || quote <"$T/err"
}

# ---- keep: Jobs are created, left as they are, and the oldest is deleted ----

things_watches 'desiredReads: [owned]' \
	'dependents: [{apiVersion: batch/v1, kind: Job, manage: true}]'
things_example keep
things_run
thing t '{"run":1,"image":"busybox"}' >/dev/null
jobs_are() {
	[ "$(kubectl get jobs -o json |
		jq -r '[.items[].metadata.name] | sort | join(" ")')" = "$1" ]
}
# settled N: the status counts that many Jobs, and nothing is left to do
settled() {
	status_is '[(.jobs | length), .outstanding]' "[$1,0]"
}
ok "a Job" wait_for 60 jobs_are "t-1"
ok "... which needs nothing more" wait_for 60 settled 1
kubectl patch job t-1 --type merge \
	-p '{"metadata":{"labels":{"by":"others"}},"spec":{"suspend":true}}' >/dev/null
spec '{"run":2}'
ok "the next one" wait_for 60 jobs_are "t-1 t-2"
ok "... is there" wait_for 60 settled 2
is "$(kubectl get job t-1 -o json |
	jq -c '[.metadata.labels.by, .spec.suspend]')" '["others",true]' \
	"the first is left as others have it"
for n in 3 4; do
	spec "{\"run\":$n}"
	ok "Job $n" wait_for 60 kubectl get job "t-$n"
	[ "$n" = 4 ] || ok "... is there" wait_for 60 settled "$n"
done
ok "the oldest is deleted" wait_for 60 jobs_are "t-2 t-3 t-4"
ok "... and that is all" wait_for 60 settled 3
fails 0 "nothing failed"
things_over

# ---- exactly: keys that others add are removed; nothing else is ----

things_watches 'dependents:' '- {apiVersion: v1, kind: ConfigMap, manage: true}' \
	'- {apiVersion: v1, kind: Secret, manage: true}'
things_example exactly
cat >>"$T/reconcile.jq" <<'END'
def status: {error: .error, outstanding: (.outstanding | length)};
END
things_run
thing t '{"users":{"ann":"secret1","bob":"secret2"}}' >/dev/null
has() { # KIND NAME KEYS
	[ "$(kubectl get "$1" "$2" -o json |
		jq -c '[(.data, .binaryData | values | keys[])]')" = "$3" ]
}
change() { # KIND NAME PATCH
	kubectl patch "$1" "$2" --type merge -p "$3" >/dev/null
}
ok "a Secret" wait_for 60 has secret t-users '["ann","bob"]'
ok "a ConfigMap" wait_for 60 has configmap t-names '["names"]'
change secret t-users '{"data":{"eve":"eA=="},"metadata":{"labels":{"by":"others"}}}'
ok "a key of others is removed" wait_for 60 has secret t-users '["ann","bob"]'
is "$(kubectl get secret t-users -o json | jq -c '[.data.ann, .metadata.labels.by]')" \
	'["c2VjcmV0MQ==","others"]' "... and nothing else"
change configmap t-names '{"binaryData":{"x":"eA=="},"data":{"y":"z","w":""}}'
ok "... of binaryData and data" wait_for 60 has configmap t-names '["names"]'
# Those that another one applied, whose fields are not ours.
kubectl apply --server-side --field-manager=other -f - >/dev/null <<'END'
apiVersion: v1
kind: ConfigMap
metadata: {name: t-names, namespace: default}
data: {applied: "1"}
END
ok "... and what another manager applied" \
	wait_for 60 has configmap t-names '["names"]'
spec '{"users":{"bob":null}}'
ok "what is no longer desired goes" wait_for 60 has secret t-users '["ann"]'
fails 0 "nothing failed"
is "$(grep -c secret "$T/err")" 0 "nothing of the Secret is logged"
things_over

# ---- retain: a claim outlives its primary, and the next one has it again ----

things_watches 'dependents:' '- {apiVersion: v1, kind: ConfigMap, manage: true}' \
	'- {apiVersion: v1, kind: PersistentVolumeClaim, manage: true, retain: true}'
things_example retain
things_run
# claim PATH: of the claim
claim() {
	kubectl get pvc t-data -o json | jq -c "$1"
}
thing t '{"size":"1","storage":"1Gi"}' >/dev/null
ok "a claim" wait_for 60 status_is .claims '["t-data"]'
is "$(claim '[.metadata.ownerReferences, .metadata.annotations["kpipe.dev/retain"]]')" \
	'[null,"true"]' "... without an owner"
uid=$(claim .metadata.uid)
is "$(kubectl get thing t -o json | jq -c .metadata.finalizers)" null \
	"the primary needs no finalizer"
kubectl delete thing t >/dev/null
ok "the primary goes, and its ConfigMap" wait_for 60 absent configmap t
is "$(claim .metadata.uid)" "$uid" "the claim stays"
thing t '{"size":"2","storage":"1Gi"}' >/dev/null
ok "another primary of that name has it" wait_for 60 status_is .claims '["t-data"]'
is "$(claim .metadata.uid)" "$uid" "... the same claim"
is "$(claim '[.metadata.ownerReferences, .metadata.deletionTimestamp]')" \
	'[null,null]' "... still without an owner"
# What is not desired any more; after a restart, too.
things_stop
cat >"$T/reconcile.jq" <<'END'
include "operator";
def desired: [config_map("other"; {}; {})];
def status: {claims: [.owned.PersistentVolumeClaim[].metadata.name]};
END
things_run
ok "a program that does not desire it" wait_for 60 kubectl get configmap other
ok "... what was a usual member is deleted" wait_for 60 absent configmap t
is "$(claim '[.metadata.uid, .metadata.deletionTimestamp]')" "[$uid,null]" \
	"... the claim is not"
ok "... and is owned" status_is .claims '["t-data"]'
is "$(grep -c 'PersistentVolumeClaim.*orphan' "$T/err")" 0 "no orphan is logged"
things_over

# ---- delete_foreign: ConfigMaps with a label are deleted once they are old ----

things_watches 'desiredReads: [now]' \
	'dependents: [{apiVersion: v1, kind: Secret, manage: true}]' \
	'related: [{apiVersion: v1, kind: ConfigMap, delete: true}]'
things_example delete_foreign
make_cm() { # NAME LABEL
	kubectl create configmap "$1" --from-literal=k=v >/dev/null
	kubectl label configmap "$1" "$2" >/dev/null
}
make_cm old ttl=0
make_cm foreign by=others
thing t '{"label":"ttl"}' >/dev/null
runs 0 "a dry run" timeout 300 bash -c \
	'exec kwatch -f "$0" --once </dev/null | ireconcile -f "$0" |
	kapply --dry-run=server -o result' "$T/watches.yaml"
is "$(jq -c 'select(.kind == "ConfigMap") | [.metadata.name, .result]' "$T/out")" \
	'["old","deleted"]' "... tells what would be deleted"
ok "... and keeps it" kubectl get configmap old
things_run -v
ok "what is old is deleted" wait_for 60 absent configmap old
make_cm next ttl=0
ok "... and the next one" wait_for 60 absent configmap next
make_cm young ttl=100000
make_cm last ttl=0
ok "... and another" wait_for 60 absent configmap last
ok "what is young stays" kubectl get configmap young
ok "... and what has no such label" kubectl get configmap foreign
is "$(grep -c 'deleted ConfigMap default/old, which was not a member' "$T/err")" 1 \
	"it is logged"
fails 0 "nothing failed"
things_over

# ---- order: a claim that is refused holds up what is not independent ----

things_watches 'dependents:' '- {apiVersion: v1, kind: ConfigMap, manage: true}' \
	'- {apiVersion: v1, kind: PersistentVolumeClaim, manage: true}' \
	'- {apiVersion: batch/v1, kind: Job, manage: true}'
things_example order
kubectl create -f - >/dev/null <<'END'
{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
  "metadata": {"name": "w-data", "namespace": "default"},
  "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
END
things_run
thing w '{"size":"1Gi","sql":"select 1"}' >/dev/null
ok "what is independent is made" wait_for 60 kubectl get job w-dump
failed_of_w() {
	kubectl get thing w -o json |
		jq -e '.status.error | test("w-data: it exists")'
}
ok "the claim is another's" wait_for 60 failed_of_w
ok "... and what is not independent waits" absent job w-change
kubectl patch pvc w-data --type merge -p '{"metadata":{"finalizers":null}}' >/dev/null
kubectl delete pvc w-data >/dev/null
ok "... until that one is gone" wait_for 60 kubectl get job w-change
none_waits() {
	kubectl get thing w -o json | jq -e '.status.waits == []'
}
ok "then all is made" wait_for 60 none_waits
things_over

# ---- as_seen: a seat is closed only in the version that the program saw ----

things_watches 'desiredReads: [owned]' \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
things_example as_seen
# decide: the line for what there is now
decide() {
	kwatch --once -f "$T/watches.yaml" | ireconcile -f "$T/watches.yaml"
}
# opens NAME: a Thing and its seat, which is then to be closed
opens() {
	thing "$1" >/dev/null
	decide | kapply >/dev/null 2>"$T/err"
	kubectl patch thing "$1" --type merge -p '{"spec":{"close":true}}' >/dev/null
	decide >"$T/line"
}
seat() { # NAME: its data
	kubectl get configmap "$1-seat" -o json | jq -c '.data // {}'
}
seat_is() {
	[ "$(seat "$1" 2>/dev/null)" = "$2" ]
}
opens t
is "$(seat t)" '{}' "a seat"
is "$(jq -c .reconcile.asSeen "$T/line")" '["ConfigMap/default/t-seat"]' \
	"it is to be closed as it was seen"
change configmap t-seat '{"data":{"taken":"ann"}}'
runs 0 "somebody takes it before that is done" kapply <"$T/line"
is "$(seat t)" '{"taken":"ann"}' "... and has it"
is "$(cat "$T/out" "$T/err")" "" "... without a status or a complaint"
is "$(decide | jq -c '[.items, .reconcile.status]')" '[[],{"taken":true}]' \
	"the next decision is another one"
opens u
runs 0 "nobody takes the other one" kapply <"$T/line"
is "$(seat u)" '{"closed":"true"}' "... and it is closed"
# The same by an operator that runs.
things_run
thing v '{"close":true}' >/dev/null
ok "an operator closes a third" wait_for 60 seat_is v '{"closed":"true"}'
is "$(seat t)" '{"taken":"ann"}' "... and the first is left alone"
fails 0 "nothing failed"
things_over

# ---- once: what is deleted is created again, unless the status notes it ----

things_watches
things_example once
ok "the page has a program" test -s "$T/reconcile.jq"
thing t >/dev/null
# uid_is_new: of the ConfigMap a, and not $old
old=
uid_is_new() {
	new=$(uid cm a 2>/dev/null) && [ -n "$new" ] && [ "$new" != "$old" ]
}
things_run
ok "once, with a note in the status: created" wait_for 60 uid_is_new
ok "... noted" wait_for 60 status_is .made true
kubectl delete cm a >/dev/null
kubectl annotate thing t touched=1 >/dev/null
things_stop
# A later start begins with what is there: it would create what is outstanding.
runs 0 "a dry run after it was deleted" \
	kpipe -f "$T/watches.yaml" --dry-run
is "$(jq -r .kind "$T/out")" "" "... would not create it again"
kubectl delete thing t >/dev/null
cat >"$T/reconcile.jq" <<'END'
include "operator";
def desired: [once(config_map("a"; {}; {k: "v"}))];
def status: {error: .error, length: (.error | length),
    reason: (if .error == null then "Waiting"
      elif .error | test("not part of") then "Foreign" else "Other" end)};
END
thing t >/dev/null
things_run
ok "once, without a note: created" wait_for 60 uid_is_new
old=$new
kubectl delete cm a >/dev/null
ok "... and again when it was deleted" wait_for 60 uid_is_new
things_over

# ---- .error of what could not be applied ----

# It is a placeholder in the program until the message is in the status; the
# program sees it there.
wait_for 60 absent cm a
kubectl create cm a >/dev/null # not ours
thing t >/dev/null
things_run
told() {
	status_is .reason '"Foreign"'
}
ok ".error of an item that fails is the message" wait_for 60 told
ok "... the whole of it" status_is '.length == (.error | length)' true
things_stop
things_run
fails_again() {
	grep -q 'cannot apply' "$T/err"
}
status() {
	kubectl get thing t -o json | jq -c .status
}
ok "another process fails as well" wait_for 60 fails_again
ok "... it comes to rest" rests 2 status
ok "... with the same status" told
things_stop
kubectl delete cm a >/dev/null
things_run
ok "... until it can be applied" wait_for 60 uid_is_new
ok "... then there is none" wait_for 60 status_is .reason '"Waiting"'
done_testing
