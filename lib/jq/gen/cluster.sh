#!/bin/sh
# cluster.sh KIND.GROUP [VERSION]: what the cluster of kubectl says of a kind, as
# one JSON object for gen/existing.jq: its CustomResourceDefinition; of any other
# kind {group, version, resource, has_status, schemas}: its row of discovery
# (APIResource), and the schemas of its version, as OpenAPI v3 has them. KIND may
# also be a plural or a short name; without a GROUP it is of the core.
set -u
kubectl=${KUBECTL:-kubectl}
kind=${1%%.*}
group=${1#"$kind"}
group=${group#.}
version=${2:-}

die() {
	echo "kgen: error: $*" >&2
	exit 100
}

raw() {
	"$kubectl" get --raw "$1"
}

for program in "$kubectl" jq; do
	command -v "$program" >/dev/null ||
		die "--from-cluster needs $program, which is not in PATH"
done
if [ -z "$group" ]; then
	version=${version:-v1}
	root=api/$version
elif [ -n "$version" ]; then
	root=apis/$group/$version
else
	version=$(raw "/apis/$group" | jq -r .preferredVersion.version)
	[ -n "$version" ] || die "the cluster does not tell of the group $group"
	root=apis/$group/$version
fi
row=$(raw "/$root" | jq -c --arg kind "$kind" '
	(.resources // []) as $all
	| ($kind | ascii_downcase) as $kind
	| [$all[] | select((.name | contains("/") | not)
		and any(.kind, .name, .shortNames[]?; ascii_downcase == $kind))][0]
	| .name as $name | select($name != null)
	| {resource: ., has_status: any($all[]; .name == $name + "/status")}')
[ -n "$row" ] ||
	die "$root of the cluster has no kind $kind"
plural=${row#*\"name\":\"}
plural=${plural%%\"*}

crd=
if [ -n "$group" ]; then
	crd=$("$kubectl" get customresourcedefinitions "$plural.$group" \
		--ignore-not-found -o json) ||
		echo "kgen: warning: the CustomResourceDefinition" \
			"$plural.$group cannot be read: OpenAPI is asked instead" >&2
fi
if [ -n "$crd" ]; then
	printf '%s\n' "$crd"
	exit
fi
raw "/openapi/v3/$root" | jq -c --arg group "$group" --arg version "$version" \
	--argjson row "$row" \
	'$row + {$group, $version, schemas: .components.schemas}'
