# shellcheck shell=bash
# What tests of images share. After lib.sh:
#
#	. "${0%/*}/image.sh"
#	image_build -t NAME:TAG FOLDER	# into $image; what build says, in $T/out
#	image_blob .manifests[0].digest "$T/layout/index.json"	# its file
#	image_unpack ARCH		# its root file system is $T/root.ARCH

command -v skopeo >/dev/null || skip_all "there is no skopeo"
command -v dpkg >/dev/null || skip_all "this is not a Debian"
image=$T/image.tar

# image_build OPTION... FOLDER
image_build() {
	deploy/image/build "$@" "$image" >"$T/out" 2>"$T/err" || {
		quote <"$T/err"
		flaw "the image cannot be built"
		return 1
	}
	rm -rf "$T/layout"
	mkdir "$T/layout"
	tar -xf "$image" -C "$T/layout"
}

# image_blob JQ-PATH FILE: the file of the blob whose digest is there
image_blob() {
	local digest

	digest=$(jq -r "$1" "$2")
	echo "$T/layout/blobs/sha256/${digest#sha256:}"
}

# image_manifest ARCH: its file
image_manifest() {
	image_blob ".manifests[] | select(.platform.architecture == \"$1\") |
		.digest" "$(image_blob '.manifests[0].digest' \
		"$T/layout/index.json")"
}

image_unpack() {
	rm -rf "$T/root.$1"
	mkdir "$T/root.$1"
	tar -xzf "$(image_blob '.layers[0].digest' "$(image_manifest "$1")")" \
		-C "$T/root.$1"
}
