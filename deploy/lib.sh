# shellcheck shell=bash
# What deploy and undeploy share.

KUBECTL=${KUBECTL:-kubectl}
KGEN=${KGEN:-kgen}

die() {
	echo "${0##*/}: $*" >&2
	exit 100
}

# generate DIR FOLDER [KGEN-ARGUMENT...]: DIR/all is the stream for kubectl,
# DIR/role.yaml and so on its parts.
generate() {
	local dir=$1 folder=$2

	shift 2
	mkdir -p "$dir/crds"
	"$KGEN" manifests -f "$folder" ${NAMESPACE:+--namespace "$NAMESPACE"} \
		"$@" >"$dir/all" || return
	awk -v dir="$dir" '/^# Source: / { file = dir "/" $3 } { print >file }' \
		"$dir/all"
}

# read_manifests FOLDER [KGEN-ARGUMENT...]: in $T, and in $T/namespace and
# $T/cluster those of each scope that the operator can have.
read_manifests() {
	local scope

	T=$(mktemp -d)
	trap 'rm -rf "$T"' EXIT
	generate "$T" "$@" ${SCOPE:+--scope "$SCOPE"} || exit 100
	for scope in namespace cluster; do
		generate "$T/$scope" "$@" --scope "$scope" 2>/dev/null ||
			rm -r "${T:?}/$scope"
	done
	# A name such as 1 or yes has quotes.
	namespace=$(sed -n 's/^  name: //p' "$T/namespace.yaml" | tr -d '"')
	# shellcheck disable=SC2034
	operator=$(sed -n 's,^    app.kubernetes.io/name: ,,p' \
		"$T/namespace.yaml")
}

# check_program FOLDER: the files of the ConfigMap alone, with the variables of
# the Deployment, are programs that work.
check_program() {
	local file variables err

	sed -n '/^ *- key: /{n;s/^ *path: //p;}' "$T/operator.yaml" |
		sed 's/^"\(.*\)"$/\1/' | while IFS= read -r file; do
		[ ! -e "$1/$file" ] ||
			install -D -m 644 "$1/$file" "$T/operator/$file"
	done
	mapfile -t variables < <(awk -v namespace="$namespace" '
		/^ *env:$/ { env = 1 }
		/^ *ports:$/ { env = 0 }
		env && $2 == "name:" { name = $3 }
		env && $1 == "valueFrom:" { print name "=" namespace }
		env && $1 == "value:" {
			sub(/^ *value: "?/, ""); sub(/"$/, "")
			print name "=" $0
		}' "$T/operator.yaml")
	env "${variables[@]}" "${KGEN%kgen}ireconcile" \
		-f "$T/operator/watches.yaml" </dev/null >/dev/null 2>"$T/err" || {
		err=$(<"$T/err")
		echo "${err//"$T/operator"/"$1"}" >&2
		die "the programs of $1 do not work. Nothing was changed."
	}
}

# find_namespace: $T/found is empty if there is none, "NAME deploy" if deploy made
# it, and NAME otherwise. What deploy did not make is not its to change.
find_namespace() {
	"$KUBECTL" get namespace "$namespace" --ignore-not-found -o \
		'jsonpath={.metadata.name} {.metadata.annotations.kpipe\.dev/created-by}' \
		>"$T/found"
}

# is_made_by_deploy: the namespace that find_namespace found
is_made_by_deploy() {
	grep -q ' deploy$' "$T/found"
}

# list_programs: lines TIME NAME of the ConfigMaps with programs
list_programs() {
	"$KUBECTL" get configmaps -n "$namespace" \
		-l "app.kubernetes.io/name=$operator,app.kubernetes.io/component=program" \
		-o 'jsonpath={range .items[*]}{.metadata.creationTimestamp} {.metadata.name}{"\n"}{end}'
}

# list_named: those that a Pod mounts, or would after kubectl rollout undo
list_named() {
	"$KUBECTL" get deployments,replicasets -n "$namespace" \
		-l "app.kubernetes.io/name=$operator" -o \
		'jsonpath={range .items[*].spec.template.spec.volumes[*]}{.configMap.name}{"\n"}{end}'
}

# objects FILE...: lines KIND NAME NAMESPACE, the last one empty if it has none
objects() {
	cat "$@" /dev/null | awk '
		function flush() { if (kind) print kind, name, ns; kind = "" }
		/^(---|# Source)/ { flush() }
		{ gsub(/"/, "") }
		/^[a-zA-Z]/ { top = $1 }
		/^kind: / { kind = $2; name = ns = "" }
		top == "metadata:" && /^  name: / { name = $2 }
		top == "metadata:" && /^  namespace: / { ns = $2 }
		END { flush() }' | sort -u
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
