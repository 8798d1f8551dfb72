# shellcheck shell=bash
# What tests share that give kapply sets of a Thing t, against a cluster:
#
#	. "${0%/*}/sets.sh"
#	things_start			# the CRD; kubectl gets its arguments
#	things_watches			# watches.yaml: they manage ConfigMaps
#	things_example keep		# reconcile.jq: that of doc/program.md
#	things_run			# kpipe; its pid is in $operator
#	things_stop			# ... ends: its exit code
#	things_over			# ... and all Things are deleted
#	thing t | jq -r .metadata.uid	# made, and printed
#	set_line "$(cm a 1)" '{"onError":{...}}' >"$T/in"
#	runs 0 "..." kapply_line -o result

things_start() {
	kind_start Thing Namespaced "$@"
}

# kind_start KIND SCOPE [KUBECTL-ARGUMENT]...: the CRD of that kind of example.com
kind_start() {
	local name=${1,,}

	kubectl apply "${@:3}" -f - >/dev/null <<EOF
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${name}s.example.com}
spec:
  group: example.com
  scope: $2
  names: {kind: $1, plural: ${name}s, singular: $name}
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
	wait_for 20 kubectl wait "${@:3}" --for=condition=Established \
		"crd/${name}s.example.com"
	# A kind that is Established may not be served yet.
	wait_for 20 kubectl get "${@:3}" "${name}s"
}

# things_watches [LINE]...: with other members than these dependents; in $folder,
# if there is one (operator.sh)
things_watches() {
	[ $# -gt 0 ] || set -- \
		'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
	cat >"${folder:-$T}/watches.yaml" <<'EOF'
- group: example.com
  version: v1
  kind: Thing
  program: reconcile.jq
EOF
	printf '  %s\n' "$@" >>"${folder:-$T}/watches.yaml"
}

# things_example NAME [FILE]
things_example() {
	sed -n '/^```jq '"$1"'$/,/^```$/{/^```/!p}' doc/program.md \
		>"${2:-${folder:-$T}/reconcile.jq}"
}

# things_run [ARGUMENT]...: its log is $T/err
things_run() {
	start kpipe -f "$T/watches.yaml" "$@" 2>"$T/err"
	operator=$!
}

things_stop() {
	kill "$operator"
	wait "$operator"
}

things_over() {
	things_stop
	kubectl delete things --all >/dev/null
}

# absent KIND NAME: the server says so
absent() {
	kubectl get "$@" 2>&1 | grep -q NotFound
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
	kubectl get thing "$1" -o json | jq -c "$as_primary"
}
as_primary='{apiVersion, kind} +
	(.metadata | {namespace, name, uid, resourceVersion, generation})'

# set_line ITEMS [RECONCILE]: a line; items get the owner reference if they are in
# the namespace of the primary. Both are JSON; RECONCILE's members are added.
set_line() {
	kubectl get thing t -o json | jq -c --argjson items "$1" \
		--argjson more "${2:-null}" '
	def key: .apiVersion as $a
		| .kind + (if $a | test("/") then "." + ($a | split("/")[0])
		else "" end) + "/\(.metadata.namespace // "")/\(.metadata.name)";
	('"$as_primary"') as $p
	| {apiVersion: "v1", kind: "List", items: [$items[]
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
	printf '[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"default"},"data":{"k":"%s"}}]\n' "$@"
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
