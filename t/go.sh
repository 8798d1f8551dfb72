# shellcheck shell=bash
# What the builds with Go share: t/*/build. In one of them:
#
#	. "${0%/*}/../go.sh"
#	go_needed "a kubelet"		# or exit 100, with the reason
#	go_folder go.mod go.sum main.go	# $dir: of this content, locked
#	[ -e "$dir/done" ] || go_build -o "$dir/kubelet.new" .
#
# The settings are the same for all, so that they share Go's cache.

here=$(cd "$(dirname "$0")" && pwd)

die() {
	echo "t/${here##*/t/}/build: $*" >&2
	exit 100
}

# go_needed WHAT
go_needed() {
	local have need=1.26

	command -v go >/dev/null ||
		die "$1 needs Go >= $need to build; no go in PATH"
	# Never let Go download another Go: say what is missing instead.
	export GOTOOLCHAIN=local GOWORK=off GOFLAGS=-mod=readonly CGO_ENABLED=0
	have=$(cd / && go env GOVERSION)
	printf '%s\n' "go$need" "$have" | sort -CV ||
		die "$1 needs Go >= $need to build; this is $have"
}

# go_folder FILE...: sets $dir, the folder in the cache for these files. Two at
# once are safe: the second waits for the first.
go_folder() {
	local digest

	digest=$(cd "$here" && cat "$@" | sha256sum | cut -c1-16)
	dir=${XDG_CACHE_HOME:-$HOME/.cache}/kpipe/${here##*/}-$digest
	mkdir -p "$dir"
	exec 9>"$dir/lock"
	flock -n 9 || {
		echo "t/${here##*/t/}/build: waiting for another build in $dir" >&2
		flock 9
	}
}

# go_build ARGUMENT...: of `go build`. $linker: more for the linker
go_build() {
	(cd "$here" && nice go build -trimpath -buildvcs=false \
		-ldflags "-s -w ${linker:-}" "$@") >&2
}

# go_kubernetes: $version, that of Kubernetes in go.mod, and what sets it
go_kubernetes() {
	local v=k8s.io/component-base/version minor

	version=$(cd "$here" && sed -n 's,^.*k8s.io/kubernetes v,,p' "$(go env GOMOD)")
	minor=${version#*.}
	linker="-X $v.gitVersion=v$version -X $v.gitMajor=${version%%.*} \
-X $v.gitMinor=${minor%%.*}"
}
