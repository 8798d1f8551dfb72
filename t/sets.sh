# shellcheck shell=bash
# What tests share that give kapply sets of a Thing t, against a cluster:
#
#	. "${0%/*}/sets.sh"
#	things_start			# the CRD; kubectl gets its arguments
#	things_watches			# watches.yaml: they manage ConfigMaps
#	things_example keep		# reconcile.jq: that of doc/program.md
#	thing t | jq -r .metadata.uid	# made, and printed
#	set_line "$(cm a 1)" '{"onError":{...}}' >"$T/in"
#	runs 0 "..." kapply_line -o result

things_start() {
	kubectl apply "$@" -f - >/dev/null <<'EOF'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things, singular: thing}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
EOF
	wait_for 20 kubectl wait "$@" --for=condition=Established \
		crd/things.example.com
	# A kind that is Established may not be served yet.
	wait_for 20 kubectl get "$@" things
}

things_watches() {
	cat >"$T/watches.yaml" <<'EOF'
- group: example.com
  version: v1
  kind: Thing
  program: reconcile.jq
  dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]
EOF
}

# things_example NAME [FILE]
things_example() {
	sed -n '/^```jq '"$1"'$/,/^```$/{/^```/!p}' doc/program.md \
		>"${2:-$T/reconcile.jq}"
}

# thing NAME [SPEC]
thing() {
	local spec="{}"

	[ $# -lt 2 ] || spec=$2
	kubectl create -f - -o json <<EOF
{"apiVersion":"example.com/v1","kind":"Thing",
 "metadata":{"name":"$1","namespace":"default"},"spec":$spec}
EOF
}

# The Thing t in its current state, for a set.
primary() {
	primary_of t
}
primary_of() {
	kubectl get thing "$1" -o json | jq -c '{apiVersion, kind} +
		(.metadata | {namespace, name, uid, resourceVersion, generation})'
}

# set_line ITEMS [RECONCILE]: a line; items get the owner reference if they are in
# the namespace of the primary. Both are JSON; RECONCILE's members are added.
set_line() {
	jq -cn --argjson p "$(primary)" --argjson items "$1" \
		--argjson more "${2:-null}" '
	def key: .apiVersion as $a
		| .kind + (if $a | test("/") then "." + ($a | split("/")[0])
		else "" end) + "/\(.metadata.namespace // "")/\(.metadata.name)";
	{apiVersion: "v1", kind: "List", items: [$items[]
		| if .metadata.namespace == $p.namespace
			and (.metadata.ownerReferences | not)
		then .metadata.ownerReferences =
			[{apiVersion: $p.apiVersion, kind: $p.kind,
			name: $p.name, uid: $p.uid, controller: true}]
		else . end],
	reconcile: ({primary: $p, manager: "kpipe-thing.example.com",
		known: ($items | map({(key): null}) | add)}
		+ ($more // {}))}'
}

cm() {
	jq -cn --arg name "$1" --arg value "$2" '[{apiVersion: "v1",
		kind: "ConfigMap", metadata: {$name, namespace: "default"},
		data: {k: $value}}]'
}

# deployment_rests: the controller of Deployments of the real server has written
# what it has to say about d, which looks like a change by kapply if it comes
# between two of its requests
deployment_rests() {
	[ "$SERVER" != real ] ||
		{ wait_for 30 deployment_is_observed && rests 2 deployment_version; }
}
deployment_is_observed() {
	kubectl get deployment d -o json |
		jq -e '.status.observedGeneration == .metadata.generation'
}
deployment_version() {
	kubectl get deployment d -o jsonpath='{.metadata.resourceVersion}'
}

uid() {
	kubectl get "$@" -o jsonpath='{.metadata.uid}'
}

kapply_line() {
	kapply --timeout=60s "$@" <"$T/in"
}
