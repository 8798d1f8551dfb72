#!/bin/bash
# make push: an image goes to a registry and comes back with its digest; what is
# said if it cannot.
# check-all: images
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=image.sh
. "${0%/*}/image.sh"
command -v docker-registry >/dev/null || skip_all "there is no docker-registry"

# registry NAME [LINE]...: its port is in $port
registry() {
	local name=$1

	shift
	port=
	for port in $(shuf -i 20000-29999 -n 20); do
		printf '%s\n' "version: 0.1" "log: {level: error}" \
			"storage: {filesystem: {rootdirectory: $T/$name}}" \
			"http: {addr: '127.0.0.1:$port'}" "$@" >"$T/$name.yml"
		# It takes every REGISTRY_... for a setting.
		OTEL_TRACES_EXPORTER=none start env -u REGISTRY_AUTH_FILE \
			docker-registry serve "$T/$name.yml" \
			>"$T/$name.log" 2>&1
		wait_for 20 answers "$!" || continue
		is_child "$!" && return
	done
}
# answers PID: the registry does, or it has ended: another has its port
answers() {
	! kill -0 "$1" || [ -n "$(curl -s -o /dev/null -w '%{http_code}' \
		"127.0.0.1:$port/v2/" | grep -E '200|401')" ]
}

image_build -t localhost/memcached-operator:1.2 pipeline/memcached
digest=$(sed -n '1s/.*@//p' "$T/out")
registry open
there=127.0.0.1:$port
export SKOPEO_FLAGS=--dest-tls-verify=false
export HOME=$T REGISTRY_AUTH_FILE=$T/auth.json
runs 0 "pushed" deploy/image/push "$image" "$there/team/operator"
is "$(<"$T/out")" "$there/team/operator@$digest" \
	"... prints the name with the digest, for a Deployment"
is "$(curl -s "$there/v2/team/operator/tags/list")" \
	'{"name":"team/operator","tags":["1.2"]}' "... with the tag of the image"
is "$(skopeo inspect --tls-verify=false --format '{{.Digest}}' \
	"docker://$there/team/operator:1.2")" "$digest" "the registry has the digest"
runs 0 "pulled" skopeo copy -q --all --preserve-digests \
	--src-tls-verify=false "docker://$there/team/operator@$digest" \
	"oci:$T/back"
is "$(jq -r '.manifests[0].digest' "$T/back/index.json")" "$digest" \
	"... the digest is the same"
is "$(cd "$T/back/blobs/sha256" && sha256sum ./* | sort)" \
	"$(cd "$T/layout/blobs/sha256" && sha256sum ./* | sort)" \
	"... and so is every byte"
runs 0 "pushed again, with another tag" \
	deploy/image/push "$image" "$there/team/operator:other"
is "$(<"$T/out")" "$there/team/operator@$digest" "... the digest is the same"
mkdir -p "$T/build/image"
cp "$image" "$T/build/image/x.tar"
runs 0 "make push" make -s push BUILD="$T/build" PIPELINE=x IMG="$there/made:1"
is "$(<"$T/out")" "$there/made@$digest" "... does the same"

### Errors

# refused WHAT MESSAGE ARGUMENT...
refused() {
	runs 100 "$1" deploy/image/push "${@:3}"
	is "$(<"$T/err")" "deploy/image/push: $2" "... says so"
}
refused "not built" "no $T/none.tar: make image makes it" "$T/none.tar" "$there/x"
echo x >"$T/x.tar"
refused "not an image" "$T/x.tar is not an image that deploy/image/build made" \
	"$T/x.tar" "$there/x"
refused "no registry in the name" \
	"localhost/memcached-operator:1.2 has no registry in its name: give one, such as IMG=registry.example.com/memcached-operator:1.2" \
	"$image"
refused "... nor in IMG" \
	"team/x:1.2 has no registry in its name: give one, such as IMG=registry.example.com/team/x:1.2" \
	"$image" team/x
runs 100 "no registry there" deploy/image/push "$image" 127.0.0.1:1/x
is "$(sed 's/127.0.0.1:1: .*/.../' "$T/err")" \
	"deploy/image/push: no registry answers at ..." "... says so"
start python3 -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
time.sleep(120)' >"$T/silent"
wait_for 20 test -s "$T/silent"
silent=127.0.0.1:$(<"$T/silent")
runs 100 "a registry that never answers" \
	env TIMEOUT=2s deploy/image/push "$image" "$silent/x"
is "$(<"$T/err")" \
	"deploy/image/push: $silent did not take it within 2s (TIMEOUT=)" \
	"... says so"
runs 100 "a registry with TLS that is not trusted" env SKOPEO_FLAGS= \
	deploy/image/push "$image" "$there/x"
is "$(sed 's/failed: .*/failed: .../' "$T/err")" \
	"deploy/image/push: pushing $there/x:1.2 failed: ..." "... says so"
# bcrypt of "p"; the registry takes no other.
# shellcheck disable=SC2016
printf '%s\n' 'u:$2y$05$2NPw0cEdUh4ZwJqPKuWQwOQRw5DUQ4KuQ0bq7Cq3J8sQ6Tn1gPp2K' \
	>"$T/htpasswd"
registry closed "auth: {htpasswd: {realm: x, path: $T/htpasswd}}"
there=127.0.0.1:$port
printf '{"auths":{"%s":{"auth":"%s"}}}' "$there" "$(printf u:wrong | base64)" \
	>"$T/auth.json"
runs 100 "wrong credentials" deploy/image/push "$image" "$there/x"
is "$(sed "s/$there): .*/.../" "$T/err")" \
	"deploy/image/push: the registry refused the credentials for $there/x:1.2 (skopeo login ..." \
	"... says so"
is "$(ls "$T"/*.tar.* 2>/dev/null)" "" "nothing is left behind"
done_testing
