# shellcheck shell=bash
# What deploy and undeploy share.

KUBECTL=${KUBECTL:-kubectl}
KGEN=${KGEN:-kgen}

die() {
	echo "${0##*/}: $*" >&2
	exit 100
}

# read_manifests FOLDER [KGEN-ARGUMENT...]: $T/all is the stream for kubectl,
# $T/role.yaml and so on its parts.
read_manifests() {
	local folder=$1

	shift
	T=$(mktemp -d)
	trap 'rm -rf "$T"' EXIT
	"$KGEN" manifests -f "$folder" ${NAMESPACE:+--namespace "$NAMESPACE"} \
		${SCOPE:+--scope "$SCOPE"} "$@" >"$T/all" || exit 100
	mkdir "$T/crds"
	awk -v dir="$T" '/^# Source: / { file = dir "/" $3 } { print >file }' \
		"$T/all"
	namespace=$(sed -n 's/^  name: //p' "$T/namespace.yaml")
	# shellcheck disable=SC2034
	operator=$(sed -n 's,^    app.kubernetes.io/name: ,,p' \
		"$T/namespace.yaml")
}

# kinds: the kinds of the stream, as kubectl takes them
kinds() {
	sed -n 's/^kind: //p' "$T/all" | sort -u
}

has_cluster() {
	command -v "$KUBECTL" >/dev/null ||
		die "there is no $KUBECTL (KUBECTL=... names another)"
	"$KUBECTL" get --raw /version >/dev/null 2>"$T/err" ||
		die "no cluster answers: $(tail -n 1 "$T/err")"
}

# may VERB RESOURCE [ARGUMENT...]
may() {
	[ "$("$KUBECTL" auth can-i "$@" -n "$namespace" 2>/dev/null)" != no ]
}
