#!/bin/bash
# The tables of kapi, and the documents that it makes of them, compared with the
# API server that they were generated from.
# servers: real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
cluster_start
real=$CLUSTER real_config=$KUBECONFIG real_server=$CLUSTER_SERVER

mkdir "$T/tables"
runs 0 "the tables are made" t/schema/generate "$CLUSTER" "$T/tables"
same "$T/tables/types.txt" cmd/kapi/type/types.txt "types.txt is what it gives"
same "$T/tables/resources.txt" cmd/kapi/type/resources.txt "... and resources.txt"

kapi_start
kapi_config=$KUBECONFIG kapi_server=$CLUSTER_SERVER kapi=$CLUSTER
CLUSTER=$real # cluster_stop needs it

cat >"$T/crd.yaml" <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: memcacheds.cache.example.com}
spec:
  group: cache.example.com
  scope: Namespaced
  names:
    plural: memcacheds
    singular: memcached
    kind: Memcached
    listKind: MemcachedList
    shortNames: [mc]
    categories: [all, mine]
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}
    schema:
      openAPIV3Schema:
        type: object
        description: A cache.
        required: [spec]
        properties:
          spec:
            type: object
            description: What is wanted.
            properties:
              size: {type: integer, format: int32, minimum: 0, default: 1, description: How many.}
              port: {x-kubernetes-int-or-string: true}
              blob: {type: object, x-kubernetes-preserve-unknown-fields: true, nullable: true}
              pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              list:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}}}
          status: {type: object, properties: {size: {type: integer}}}
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
END

# both NAME COMMAND...: runs it for each server; outputs in $T/NAME.kapi and
# .real
both() {
	local name=$1

	shift
	KUBECONFIG=$kapi_config SERVER_URL=$kapi_server FOLDER=$kapi \
		timeout 300 "$@" >"$T/$name.kapi" 2>&1
	KUBECONFIG=$real_config SERVER_URL=$real_server FOLDER=$real \
		timeout 300 "$@" >"$T/$name.real" 2>&1
}

# alike WHAT NAME: both outputs are the same
alike() {
	same "$T/$2.kapi" "$T/$2.real" "$1"
}

# get PATH [HEADER...]: the body
get() {
	local path=$1

	shift
	curl -sS -m 30 --cacert "$FOLDER/certificates/apiserver.crt" \
		-H @"$FOLDER/admin.header" "$@" "$SERVER_URL$path"
}
export -f get

both crd kubectl apply -f "$T/crd.yaml"
alike "a definition" crd
both served kubectl wait --for=condition=Established --timeout=240s \
	crd/memcacheds.cache.example.com
discovered() {
	KUBECONFIG=$real_config kubectl get --raw /openapi/v3 |
		grep -q cache.example.com/v1beta1
}
wait_for 30 discovered

# Discovery.
left_out='select(.name != "componentstatuses")'
both resources kubectl api-resources
sed -i '/^componentstatuses/d' "$T/resources.real"
alike "kubectl api-resources" resources
both versions kubectl api-versions
alike "kubectl api-versions" versions
for group in api/v1 apis/apps/v1 apis/autoscaling/v2 apis/batch/v1 \
	apis/events.k8s.io/v1 apis/apiextensions.k8s.io/v1 \
	apis/admissionregistration.k8s.io/v1 apis/resource.k8s.io/v1 \
	apis/cache.example.com apis/cache.example.com/v1 \
	apis/cache.example.com/v1beta1 apis/cache.example.com/v9 apis/apps/v9 \
	apis/nosuch apis/nosuch/v1; do
	both legacy bash -c "get /$group | jq 'if .resources then .resources |= map($left_out) else . end' 2>&1"
	alike "/$group" legacy
done
aggregated='Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
both api bash -c "get /api -H '$aggregated' |
	jq 'del(.items[].versions[].resources[] |
		select(.resource == \"componentstatuses\"))'"
alike "/api, aggregated" api
both apis get /apis -H "$aggregated"
alike "/apis, aggregated" apis

# not_again URL [HEADER]: asks again with the ETag
not_again() {
	local tag

	tag=$(get "$@" -o /dev/null -D - | tr -d '\r' | sed -n 's/^etag: //Ip')
	get "$@" -o /dev/null -w '%{http_code}\n' -H "If-None-Match: $tag"
}
export -f not_again
both again bash -c "not_again /apis -H '$aggregated'
	not_again /openapi/v3/apis/apps/v1; not_again /openapi/v2"
is "$(<"$T/again.kapi")" $'304\n304\n304' "what a client has is not sent again"
alike "... as by the real server" again

# OpenAPI: without descriptions, $ref with or without allOf around it.
plain='.components.schemas
	| walk(if type == "object" then del(."x-kubernetes-unions") |
		(if (.description | type) == "string" then del(.description)
		 else . end) else . end)
	| walk(if type == "object" and (.allOf | type) == "array" and
		(.allOf | length) == 1 and (.allOf[0] | has("$ref"))
		then . + .allOf[0] | del(.allOf) else . end)
	| with_entries(select(.key | test("ComponentStatus|ComponentCondition")
		| not))
	| (."io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"?
		| objects)."x-kubernetes-group-version-kind" |=
			map(select(.group != "admissionregistration.k8s.io"))[:1]'
actions='.paths | to_entries[] | select(.key | test("/watch/|/proxy|/attach$|/exec$|/portforward$|/log$|/componentstatuses|/$") | not)
	| [.key, (.value | to_entries | map(select(.value | type == "object")
		| [.key, .value."x-kubernetes-action",
			.value."x-kubernetes-group-version-kind"]) | sort)]'
for version in api/v1 apis/apps/v1 apis/batch/v1 apis/apiextensions.k8s.io/v1 \
	apis/networking.k8s.io/v1 apis/cache.example.com/v1 \
	apis/cache.example.com/v1beta1; do
	both document bash -c "get /openapi/v3/$version"
	for server in kapi real; do
		jq -S "$plain" <"$T/document.$server" >"$T/schemas.$server"
		jq -c "$actions" <"$T/document.$server" | sort \
			>"$T/paths.$server"
	done
	alike "types of /openapi/v3/$version" schemas
	alike "... and its paths" paths
done
both v2 bash -c "get /openapi/v2 | jq -r '.swagger, (.definitions |
	keys[] | select(test(\"ComponentStatus|ComponentCondition|version.Info\")
	| not))'"
alike "types of /openapi/v2" v2
both refused bash -c "get /openapi/v2 -o /dev/null -w '%{http_code}\n' \
	-H 'Accept: text/plain'; get /openapi/v3/apis/nosuch/v1 -o /dev/null \
	-w '%{http_code}\n'; get '/openapi/v3/apis/apps/v1?hash=1' -o /dev/null \
	-w '%{http_code}\n'"
alike "OpenAPI that there is not" refused

# kubectl explain: the fields are the same, and for CRDs all of it.
for what in deployment deployment.spec.strategy svc.spec.ports \
	pod.spec.containers cronjobs 'event --api-version=events.k8s.io/v1' \
	crd.spec.versions nosuch pod.nosuch; do
	# shellcheck disable=SC2086
	both explain kubectl explain $what
	for server in kapi real; do
		sed -n '/^[A-Z]*:/{/^DESCRIPTION/d;p};/^  [a-zA-Z].*	</p;/^error/p' \
			"$T/explain.$server" | tr -s ' ' >"$T/fields.$server"
	done
	alike "kubectl explain $what" fields
done
for what in mc.spec mc.spec.size "mc.spec --recursive"; do
	# shellcheck disable=SC2086
	both explain kubectl explain $what
	alike "kubectl explain $what" explain
done

done_testing
