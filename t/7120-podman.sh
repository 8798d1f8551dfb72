#!/bin/bash
# The image as a container of podman: hardened, without root, with a limit of
# memory, killed and stopped; and as a Pod (kube play), against kapi.
# check-all: containers
# shellcheck source=lib.sh
if [ -z "${INSIDE:-}" ] && [ "$(id -u)" -eq 0 ]; then
	# Whatever podman starts and mounts ends with the test.
	INSIDE=1 exec unshare --mount --propagation private --pid --fork \
		--kill-child --mount-proc bash "$0" "$@"
fi
. "${0%/*}/lib.sh"
# shellcheck source=image.sh
. "${0%/*}/image.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
[ "$(id -u)" -eq 0 ] || skip_all "needs root"
command -v podman >/dev/null || skip_all "there is no podman"
command -v runc >/dev/null || skip_all "there is no runc"

export CONTAINERS_CONF=$ROOT/t/image/containers.conf
podman() {
	command podman --root "$T/storage" --runroot "$T/runroot" \
		--tmpdir "$T/libpod" --storage-driver vfs "$@" </dev/null
}

# Of everything that a container may have, nothing.
hardened=(--network host --read-only --cap-drop all
	--security-opt no-new-privileges)
name=localhost/memcached-operator:test
chmod 755 "$T"
image_build -t "$name" pipeline/memcached
runs 0 "podman loads it" podman load -q -i "$image"
is "$(<"$T/out")" "Loaded image: $name" "... by its name"
is "$(podman run --rm --network none --read-only --cap-drop all "$name" \
	--version | head -n 1)" "kpipe $(make -s version)" "it starts"

### Work

kapi_up
chmod 644 "$T/kubeconfig"
ask PATCH "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/memcacheds.cache.example.com?fieldManager=t&force=true" \
	"$(<pipeline/memcached/crd.yaml)" application/apply-patch+yaml >"$T/crd"
cr=/apis/cache.example.com/v1alpha1/namespaces/default/memcacheds/example
made() {
	ask PATCH "$cr?fieldManager=t&force=true" \
		"$(<pipeline/memcached/example.yaml)" \
		application/apply-patch+yaml >/dev/null
	[ "$(code)" -lt 300 ]
}
wait_for 20 made
# deployment [METHOD]: whether the answer says that it is there
deployment() {
	ask "${1:-GET}" /apis/apps/v1/namespaces/default/deployments/example \
		>/dev/null
	[ "$(code)" = 200 ]
}
gone() {
	! deployment
}
runs 0 "an operator without rights on its machine" podman run -d --name op \
	"${hardened[@]}" --memory 64m --pids-limit 64 -v "$T/kubeconfig:/kubeconfig:ro" \
	-e KUBECONFIG=/kubeconfig "$name" -f /operator/watches.yaml -A
ok "... makes the Deployment" wait_for 60 deployment
pid=$(podman inspect op -f '{{.State.Pid}}')
is "$(awk '/^Uid|^Gid/ {print $2}' "/proc/$pid/status" | uniq)" 65532 \
	"... as user 65532"
is "$(awk '/^Cap(Prm|Eff|Bnd)/ {print $2}' "/proc/$pid/status" | uniq)" \
	0000000000000000 "... without capabilities"
is "$(awk '/^NoNewPrivs/ {print $2}' "/proc/$pid/status")" 1 \
	"... without new privileges"
# filters PID: of system calls
filters() {
	awk '/^Seccomp_filters/ {print $2}' "/proc/$1/status"
}
stage() {
	pgrep -P "$pid" -x "$1"
}
ok "ireconcile has its filter besides podman's" \
	test "$(filters "$(stage ireconcile)")" -gt "$(filters "$pid")"

### Killed

old=$(stage ireconcile)
kill -9 "$old"
restarted() {
	[ -n "$(stage ireconcile)" ] && [ "$(stage ireconcile)" != "$old" ]
}
ok "a killed stage is started again" wait_for 60 restarted
deployment DELETE
ok "... and works" wait_for 60 deployment
# An orphan in the container is a child of process 1.
nsenter -t "$pid" -p -- bash -c '(sleep 0.1 & exec setsid sleep 0.2) & exit'
zombies() {
	ps --ppid "$pid" -o stat=,comm= | grep '^Z'
}
no_zombies() {
	! zombies
}
ok "no zombies" wait_for 20 no_zombies

### Stopped

start podman logs -f op >"$T/log" 2>&1
runs 0 "podman stop" podman stop -t 60 op
is "$(podman inspect op -f '{{.State.ExitCode}} {{.State.OOMKilled}}')" \
	"0 false" "... ends it within the time, with 0"
is "$(grep -c 'panic\|fatal' "$T/log")" 0 "... and no error is logged"
podman rm op >/dev/null

### A Pod

runs 0 "an image for the Pod's sandbox" t/node/workload "$T/pause.tar"
pause=$(podman load -q -i "$T/pause.tar" | sed 's/.*: //')
podman tag "$pause" localhost/pause:1
port=$((20000 + RANDOM % 10000))
cat >"$T/pod.yaml" <<END
apiVersion: v1
kind: Pod
metadata: {name: operator}
spec:
  hostNetwork: true
  containers:
  - name: kpipe
    image: $name
    imagePullPolicy: Never
    args: [-f, /operator/watches.yaml, -A, "--health-probe-bind-address=127.0.0.1:$port"]
    env: [{name: KUBECONFIG, value: /kubeconfig}]
    securityContext: {runAsUser: 65532, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
    volumeMounts: [{name: k, mountPath: /kubeconfig, readOnly: true}]
  volumes: [{name: k, hostPath: {path: $T/kubeconfig, type: File}}]
END
deployment DELETE
wait_for 20 gone
runs 0 "podman kube play" podman kube play --log-driver k8s-file "$T/pod.yaml"
ok "... makes the Deployment" wait_for 60 deployment
ok "... is ready" wait_for 60 curl -sf "127.0.0.1:$port/readyz"
deployment DELETE
ok "... and makes it again" wait_for 60 deployment
runs 0 "podman kube down" podman kube down "$T/pod.yaml"
is "$(podman ps -aq)" "" "... leaves nothing"

### A Containerfile

runs 0 "kgen image" kgen image -f pipeline/at -o "$T/at"
cp pipeline/at/*.{yaml,jq} "$T/at"
runs 0 "podman builds from what it prints" podman build -q --isolation chroot \
	--build-arg "BASE=$name" -t localhost/at:1 "$T/at"
# The base of this test has files of another operator.
is "$(podman run --rm -i --network none --entrypoint /usr/bin/ireconcile \
	localhost/at:1 -f /operator/watches.yaml 2>&1)" "" "... an operator"
is "$(podman image inspect localhost/at:1 | jq -c '.[0] | [.User,
	.Config.Entrypoint, .Config.Cmd, .Labels["org.opencontainers.image.title"]]')" \
	'["65532:65532",["/usr/bin/kpipe"],["-f","/operator/watches.yaml"],"at-operator"]' \
	"... with its user, its command, its labels"
copied() {
	grep -q "^COPY .* $1 .*/operator/$" "$T/at/Containerfile"
}
ok "... copies every program" copied words.jq

### Without root

mkdir -p "$T/user/run"
cp "$image" "$CONTAINERS_CONF" "$T/user"
cp /etc/passwd "$T/user/passwd"
echo "kpipe-test:x:12345:12345::$T/user:/bin/sh" >>"$T/user/passwd"
echo kpipe-test:200000:66000 >"$T/user/subuid"
chown -R 12345:12345 "$T/user"
# Its range of users is in files of this mount namespace alone.
mount --bind "$T/user/passwd" /etc/passwd
mount --bind "$T/user/subuid" /etc/subuid
mount --bind "$T/user/subuid" /etc/subgid
as_user() {
	(cd / && setpriv --reuid=12345 --regid=12345 --clear-groups env -i \
		PATH=/usr/bin:/usr/sbin HOME="$T/user" \
		XDG_RUNTIME_DIR="$T/user/run" \
		CONTAINERS_CONF="$T/user/containers.conf" \
		podman --storage-driver vfs "$@" </dev/null)
}
runs 0 "a user who is not root loads it" as_user load -q -i "$T/user/image.tar"
deployment DELETE
wait_for 20 gone
runs 0 "... and runs it" as_user run -d --name op "${hardened[@]}" \
	-v "$T/kubeconfig:/kubeconfig:ro" -e KUBECONFIG=/kubeconfig "$name" \
	-f /operator/watches.yaml -A
ok "... to make the Deployment" wait_for 60 deployment
runs 0 "... and stops it" as_user stop -t 60 op
is "$(as_user inspect op -f '{{.State.ExitCode}}')" 0 "... with exit code 0"
as_user rm op >/dev/null
podman rm -af >/dev/null
kapi_down
done_testing
