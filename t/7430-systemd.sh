#!/bin/bash
# kpipe@.service under a systemd of its own, as process 1 of a container with
# the files of this machine: it gets ready, shows its state, has no right that
# it does not need, survives, and ends. kapi is the cluster.
# check-all: containers
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

[ -x /lib/systemd/systemd ] || skip_all "no systemd (t/install-packages all)"
[ "$(id -u)" -eq 0 ] || skip_all "only root can start a systemd"
unshare --mount --pid --fork --cgroup true 2>/dev/null ||
	skip_all "no namespaces can be made here"

runs 0 "make install" make -s install DESTDIR="$T/root" PREFIX=/usr \
	UNITDIR=/usr/lib/systemd/system
unit=$T/root/usr/lib/systemd/system/kpipe@.service

### As text

# The command is looked for in this machine's /usr/bin.
sed "s,/usr/bin/kpipe,$BIN/kpipe," "$unit" >"$T/kpipe@.service"
runs 0 "systemd-analyze verify" systemd-analyze verify --man=no \
	"$T/kpipe@.service"
is "$(grep -v 'unlisted system calls' "$T/err")" "" "... has nothing to say"
runs 0 "systemd-analyze security: at most 1.5 of 10" \
	systemd-analyze security --offline=true --threshold=15 \
	"$T/kpipe@.service"

### As it runs

mkdir "$T/shared"
mknod "$T/shared/console" c 1 3
for file in crd example; do
	t/yaml-lines <"pipeline/memcached/$file.yaml" >"$T/shared/$file.json"
done
cp t/debian/unit "$T/shared/unit"
runs 0 "a systemd with the operator" t/debian/systemd "$T/root" "$T/shared"
cat "$T/shared/out" >"$T/said"
[ "$failed" -eq 0 ] || tail -n 60 "$T/said" "$T/err" | quote
said() {
	is "$(sed -n "s/^$1: //p" "$T/said")" "$2" "$3"
}
said state "active ready" "it got ready, and says so"
said user "nobody of root" "it is not root"
said made yes "the operator made its Deployment"
said seccomp 2 "each process is behind a filter of system calls"
said rights "0000000000000000" "no process has a right of root"
said writes /dev/shm "it can write to memory alone"
said refused "" "nothing that it does is refused"
said killed "active ready" "a kpipe that was killed is started again"
said hung "active ready" "... and one that hangs, by the watchdog"
said mistake "failed 100" "a mistake in the folder is not tried again"
said stopped "inactive success" "it ends"
said left 0 "no process is left"
done_testing
