#!/bin/bash
# ireconcile: items that a program must not desire: the primary itself, and
# objects that no watch would ever show.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cd "$T" || exit 1
# watched [MEMBERS]: watches.yaml with these members for ConfigMaps, after
# `manage`
watched() {
	cat >watches.yaml <<-END
		- group: example.com
		  version: v1
		  kind: Thing
		  finalizer: example.com/x
		  program: program.jq
		  dependents:
		  - {apiVersion: v1, kind: ConfigMap, manage: true${1:+, $1}}
		  - {apiVersion: example.com/v2, kind: Thing, manage: true}
		  related:
		  - {apiVersion: example.com/v1, kind: Thing}
	END
}
program() {
	printf 'def desired: %s;\ndef status: {error: .error};\n' "$1" >program.jq
}
# gives WHAT ITEMS ERROR [OPTION...]: of the Thing ns/a
gives() {
	local what=$1 items=$2 error=$3

	shift 3
	ireconcile -f watches.yaml "$@" <in >out 2>err
	is "$(jq -c '[.items[].metadata | [.namespace, .name]]' out)" "$items" "$what"
	is "$(jq -r '.reconcile | .status.error, .delete' out)" "$error
null" "... and the reason is said"
}
self='Thing.example.com/ns/a is the primary itself, which belongs to its users and is not an item: `status` writes its status, and labels and data of the operator'"'"'s go into an object of their own'
unseen='would be created and never observed again'
config_map='{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c"}}'

# ---- a field with two names ----

cat >watches.yaml <<-'END'
	- group: example.com
	  version: v1
	  kind: Thing
	  program: program.jq
	  dependents:
	  - {apiVersion: v1, kind: Pod, manage: true}
	  - {apiVersion: batch/v1, kind: CronJob, manage: true}
	  - {apiVersion: example.com/v2, kind: Thing, manage: true}
END
thing a 1 >in
both='is stored as serviceAccountName, too, which would stay when it is dropped: write serviceAccountName instead'
program '[{apiVersion: "v1", kind: "Pod", metadata: {name: "p"}, spec: {serviceAccount: "x"}}]'
gives "serviceAccount of a Pod" '[]' "Pod/ns/p: .spec.serviceAccount $both"
program '[{apiVersion: "batch/v1", kind: "CronJob", metadata: {name: "p"}, spec: {jobTemplate: {spec: {template: {spec: {serviceAccount: "x"}}}}}}]'
gives "... of a CronJob" '[]' \
	"CronJob.batch/ns/p: .spec.jobTemplate.spec.template.spec.serviceAccount $both"
program '[{apiVersion: "v1", kind: "Pod", metadata: {name: "p"}, spec: {serviceAccount: "x", serviceAccountName: "x"}}]'
gives "both names may be there" '[["ns","p"]]' null
program '[{apiVersion: "example.com/v2", kind: "Thing", metadata: {name: "p"}, spec: {serviceAccount: "x"}}]'
gives "a custom resource may have a field of that name" '[["ns","p"]]' null

# ---- the primary itself ----

watched
thing a 1 >in
program '[{apiVersion: "example.com/v1", kind: "Thing", metadata: {name: "a", labels: {x: "y"}}}]'
gives "an item that is the primary" '[]' "$self"
program '[{apiVersion: "example.com/v2", kind: "Thing", metadata: {name: "a", namespace: "ns"}}]'
gives "... by another version of the API" '[]' "$self"
program '[.related.Thing[] | {apiVersion, kind, metadata: {name: .metadata.name}}]'
gives "... as one of the related" '[]' "$self"
program "[$config_map, {apiVersion: \"example.com/v1\", kind: \"Thing\", metadata: {name: \"b\"}}]"
gives "another one of its kind may be below it" '[["ns","c"],["ns","b"]]' null
program '[{apiVersion: "example.com/v1", kind: "Thing", metadata: {name: "a", namespace: "other"}}]'
gives "... or one of its name elsewhere" '[["other","a"]]' null

thing a 1 "$dying,\"finalizers\":[\"example.com/x\"]" >in
cat >program.jq <<'END'
def desired: [];
def finalize: {items: [{apiVersion: "example.com/v1", kind: "Thing", metadata: {name: "a"}}], done: true};
def status: {error: .error};
END
gives "an item of finalize, too" '[]' "$self"
is "$(jq -c .reconcile.finalizers out)" null "... and the finalizer stays"

# A primary whose owner reference a user set to itself is not pruned.
program '[]'
thing a 1 "$(owner a),\"finalizers\":[\"example.com/x\"]" >in
is "$(ireconcile -f watches.yaml <in)" "" "a primary that owns itself is not deleted"

# Nor is another primary adopted because of a label that its users wrote.
sed -i 's/^  finalizer/  adopt: {label: app}\n&/' watches.yaml
{
	begin example.com/v1 Thing
	event ADDED "$(thing a 1 '"finalizers":["example.com/x"]')"
	event ADDED "$(thing b 1 '"labels":{"app":"a"},"finalizers":["example.com/x"]')"
	end example.com/v1 Thing
} >in
program 'if .primary.metadata.name == "a" then [{apiVersion: "example.com/v1", kind: "Thing", metadata: {name: "b"}}] else [] end'
gives "a primary of its own is not adopted" '[]' \
	"Thing.example.com/ns/b is a primary of its own and not part of a: it is not adopted"

# ---- what is not observed ----

thing a 1 >in
watched 'namespaces: [ns, more]'
program "[$config_map | .metadata.namespace = \"far\"]"
gives "a namespace that is not watched" '[]' \
	"ConfigMap/far/c $unseen: namespace far is not watched for ConfigMap; write it into the dependent at watches.yaml:7, or [] for all: \"namespaces: [far, ns, more]\""
watched 'namespaces: [far, ns, more]'
gives "... with that line it is made" '[["far","c"]]' null
watched
limited="ConfigMap/far/c $unseen: namespace far is not watched for ConfigMap; write it into the dependent at watches.yaml:7, or [] for all: \"namespaces: [far, ns]\""
gives "-n limits, too" '[]' "$limited" -n ns
gives "-A does not" '[["far","c"]]' null -A
export WATCH_NAMESPACE=ns
gives "WATCH_NAMESPACE limits" '[]' "$limited"
unset WATCH_NAMESPACE
watched 'namespaces: []'
gives "... unless the dependent is watched everywhere" '[["far","c"]]' null -n ns

watched 'selector: {matchLabels: {app: x}}'
program "[$config_map]"
gives "labels that are not selected" '[]' \
	"ConfigMap/ns/c $unseen: its labels do not match \"app=x\", the selector of the dependent at watches.yaml:7; give it such labels, or change the selector"
program "[$config_map | .metadata.labels.app = \"x\"]"
gives "... with them it is made" '[["ns","c"]]' null
watched 'namespaces: [], selector: "kpipe.dev/part-of"'
program "[$config_map | .metadata.namespace = \"far\"]"
gives "the label of the marks counts" '[["far","c"]]' null
program "[$config_map]"
gives "... but what has an owner has none" '[]' \
	"ConfigMap/ns/c $unseen: its labels do not match \"kpipe.dev/part-of\", the selector of the dependent at watches.yaml:7; give it such labels, or change the selector"
# An object of a managed kind is found by its marks, even if its map does not
# show it.
watched 'map: {label: thing}'
{
	thing a 1 '"finalizers":["example.com/x"]'
	object ConfigMap d 1 "$(owner a)"
} >in
program '[]'
is "$(ireconcile -f watches.yaml <in | jq -c '.reconcile.delete[].name')" '"d"' \
	"an item without the label of the map is seen by its owner"
done_testing
