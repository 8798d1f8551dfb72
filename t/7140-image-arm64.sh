#!/bin/bash
# One image for both CPUs: an index; what is in the other one, and that it works
# with recorded files (qemu).
# check-all: images
export TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=image.sh
. "${0%/*}/image.sh"
case $(dpkg --print-architecture) in
amd64) here=amd64 other=arm64 qemu="qemu-aarch64 -cpu neoverse-n1" ;;
arm64) here=arm64 other=amd64 qemu=qemu-x86_64 ;;
esac
t/debian/chroot image >"$T/chroot" 2>"$T/err" || {
	quote <"$T/err"
	skip_all "$(tail -n 1 "$T/err")"
}
export ARCH="$here $other"
image_build -t localhost/memcached-operator:both pipeline/memcached
note "$(<"$T/err")"
is "$(cut -d ' ' -f 1 "$T/out" | tail -n 2)" "${ARCH/ /$'\n'}" "for both CPUs"
is "$(awk 'NR > 1 && $2 > 5200000' "$T/out")" "" "at most 5.2 MB each"
tail -n 2 "$T/out" | quote
is "$(jq -c '[.mediaType, (.manifests[].platform | .os, .architecture)]' \
	"$(image_blob '.manifests[0].digest' "$T/layout/index.json")")" \
	"[\"application/vnd.oci.image.index.v1+json\",\"linux\",\"$here\",\"linux\",\"$other\"]" \
	"one index"
for arch in "$here" "$other"; do
	is "$(skopeo --override-arch "$arch" inspect --config "oci-archive:$image" |
		jq -r .architecture)" "$arch" "... in which a node finds $arch"
done
image_unpack "$other"
root=$T/root.$other
is "$(for file in "$root"/usr/bin/* "$root"/usr/lib/*/lib*.so*; do
	readelf -h "$file" | sed -n 's/^ *Machine: *//p'
done | sort | uniq -c | wc -l)" 1 "all is for one CPU"
is "$(ls "$root/usr/bin")" "$(image_unpack "$here"; ls "$T/root.$here/usr/bin")" \
	"the same tools"

# With the programs and libraries of the image alone, but for qemu; which has no
# filters of system calls.
cat >"$T/inside" <<'END'
mount --bind "$root" "$chroot/mnt"
mount -t proc proc "$chroot/proc"
mount -t tmpfs tmpfs "$chroot/tmp"
cp "$input" "$chroot/tmp/input"
exec chroot "$chroot" env -i LD_BIND_NOW="$now" $qemu -L /mnt "/mnt/usr/bin/$1" "${@:2}"
END
# run TOOL ARGUMENT...
run() {
	chroot=$(<"$T/chroot") root=$root input=${input:-/dev/null} \
		qemu="$qemu" now=${now:-} unshare --mount --propagation private \
		--pid --fork --kill-child bash "$T/inside" "$@"
}
for tool in "$root"/usr/bin/*; do
	tool=${tool##*/}
	is "$(now=1 run "$tool" --version | head -n 1)" \
		"$tool $(make -s version)" "$tool starts"
done
for name in life instances; do
	input=pipeline/memcached/t/$name.jsonl
	runs 0 "a recorded file: $name" run ireconcile --sandbox=off \
		--clock=input -f /mnt/operator/watches.yaml <"$input"
	ireconcile --clock=input -f pipeline/memcached/watches.yaml \
		<"$input" >"$T/want"
	same "$T/out" "$T/want" "... gives what it gives here"
done
cp "$image" "$T/first.tar"
image_build -t localhost/memcached-operator:both pipeline/memcached
same "$image" "$T/first.tar" "made again, it has the same bytes"
done_testing
