# shellcheck shell=bash
# What the tests of ireconcile share, after lib.sh: short ways to write events
# of Things (example.com/v1) and what is around them, and to compare lines.

. "${BASH_SOURCE[0]%/*}/proof.sh"

# meta NAME RV [MEMBERS]: the metadata of an object in the namespace $where, or ns
meta() {
	printf '"metadata":{"name":"%s","namespace":"%s","uid":"uid-%s","resourceVersion":"%s"%s}' \
		"$1" "${where:-ns}" "$1" "$2" "${3:+,$3}"
}

# thing NAME RV [METADATA] [REST]
thing() {
	printf '{"apiVersion":"example.com/v1","kind":"Thing",'
	meta "$1" "$2" "${3:-}"
	printf '%s}' "${4:+,$4}"
}

# object KIND NAME RV [METADATA] [REST]: of v1
object() {
	printf '{"apiVersion":"v1","kind":"%s",' "$1"
	meta "$2" "$3" "${4:-}"
	printf '%s}' "${5:+,$5}"
}

# owner NAME: the controller reference to that Thing, as metadata
owner() {
	printf '"ownerReferences":[{"apiVersion":"example.com/v1","controller":true,"kind":"Thing","name":"%s","uid":"uid-%s"}]' \
		"$1" "$1"
}

# part_of [PRIMARY]: what the label of its members has; of the Thing a
part_of() {
	local primary=${1:-Thing.example.com/ns/a} digest
	local known=$T/.part-of-${primary//\//:}

	[ -e "$known" ] || printf %s "$primary" | sha256sum >"$known"
	read -r digest _ <"$known"
	printf '%.32s\n' "$digest"
}

# marks ITEM [PRIMARY [ANNOTATIONS]]: metadata, by which ITEM is a member of it
marks() {
	printf '"annotations":{"kpipe.dev/member":"%s %s"%s},"labels":{"kpipe.dev/part-of":"%s"}' \
		"${2:-Thing.example.com/ns/a}" "$1" "${3:+,$3}" "$(part_of "${2:-}")"
}

# shellcheck disable=SC2034 # for the tests
dying='"deletionTimestamp":"2026-01-01T00:00:00Z"'

# event TYPE OBJECT [TIME]
event() {
	printf '{"type":"%s",%s"object":%s}\n' "$1" "${3:+\"time\":\"$3\",}" "$2"
}

# begin|end APIVERSION KIND...: the bookmarks
bookmark() {
	event BOOKMARK "{\"apiVersion\":\"$2\",\"kind\":\"$3\",\"metadata\":{\"annotations\":{\"$1\":\"true\"}}}"
}
begin() { bookmark kpipe.dev/initial-events-begin "$1" "$2"; }
end() { bookmark k8s.io/initial-events-end "$1" "$2"; }

# watches LINE...: watches.yaml, with an entry for Things that has these lines
watches() {
	printf '%s\n' '- group: example.com' '  version: v1' '  kind: Thing' \
		'  program: program.jq' "${@/#/  }" >"$T/watches.yaml"
}

# each_kind COMMAND: for the APIVERSION KIND of Things and of what watches.yaml
# has below them
each_kind() {
	local line version kind known=

	"$1" example.com/v1 Thing
	while read -r line; do
		[[ $line =~ .*\{apiVersion:\ ([^,]+),\ kind:\ ([[:alnum:]]+) ]] ||
			continue
		version=${BASH_REMATCH[1]} kind=${BASH_REMATCH[2]}
		[[ $known != *" $version $kind "* ]] || continue
		known+=" $version $kind "
		"$1" "$version" "$kind"
	done <"$T/watches.yaml"
}
begin_all() { each_kind begin; }
end_all() { each_kind end; }

# there OBJECT...: it is added
there() {
	local object

	for object; do event ADDED "$object"; done
}

# initially OBJECT...: all that there is when the time begins
initially() {
	local object time=2026-01-01T00:00:00Z

	begin_all
	for object; do
		event ADDED "$object" $time
		time=
	done
	end_all
}

# tick MM:SS: a line that only moves the clock; nobody watches its kind
tick() {
	event ADDED "$(object Clock tick 1)" "2026-01-01T00:$1Z"
}

# line ITEMS NAME RV [REST]: a desired set. ITEMS without the brackets.
line() {
	printf '{"apiVersion":"v1","kind":"List","items":[%s],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"%s","uid":"uid-%s","resourceVersion":"%s"}%s,"manager":"kpipe-thing.example.com"}}\n' \
		"$1" "$2" "$2" "$3" "${4:+,$4}"
}

# item KIND NAME OWNER [REST]: as desired, v1, with its marks
item() {
	printf '{"apiVersion":"v1",%s"kind":"%s","metadata":{"annotations":{"kpipe.dev/paths":"PATHS"},"name":"%s","namespace":"ns",%s}}' \
		"${4:+$4,}" "$1" "$2" "$(owner "$3")"
}

# These tests do not compare the digests of paths and of differences, nor the
# events behind a line (t/2234-events.sh), nor whether what it makes was there
# before (t/2240-again.sh).
hide_paths() {
	sed 's/"kpipe.dev\/paths":"[^"]*"/"kpipe.dev\/paths":"PATHS"/g
		s/"kpipe.dev\/accepted":"[^"]*"/"kpipe.dev\/accepted":"CODE"/g
		s/"again":true,//
		s/"because":{"events":\[[^]]*\],/"because":{/
		s/,"because":{"events":\[[^]]*\]}//' "$@"
}

# given COMMAND..., and COMMAND...: what it prints is the input, or its next part
given() { "$@" >"$T/in"; }
and() { "$@" >>"$T/in"; }

# want COMMAND..., also COMMAND...: ... are the lines for it, or the next ones
want() { "$@" >"$T/want"; }
also() { "$@" >>"$T/want"; }

# decide [OPTION]...: $T/in gives $T/out and $T/err
decide() {
	ireconcile -f "$T/watches.yaml" --clock=input "$@" \
		<"$T/in" >"$T/out" 2>"$T/err"
}

# decided CODE WHAT [OPTION]...: ... and exits with CODE
decided() { runs "$1" "$2" decide "${@:3}"; }

# replay CODE WHAT [OPTION]...: ... and $T/out is $T/want
replay() {
	decided "$1" "$2: exit code" "${@:3}"
	hide_paths "$T/out" >"$T/got"
	same "$T/got" "$T/want" "$2"
}

# silent CODE WHAT [OPTION]...: ... and there is no line
silent() {
	: >"$T/want"
	replay "$@"
}

# says TEXT WHAT: in the log
says() { is "$(<"$T/err")" "$1" "$2"; }

# configmap NAME OWNER VALUE: the item that the program below desires
configmap() {
	printf '{"apiVersion":"v1","data":{"k":"%s"},"kind":"ConfigMap","metadata":{"annotations":{"kpipe.dev/paths":"PATHS"},"name":"%s","namespace":"ns",%s}}' \
		"$3" "$1" "$(owner "$2")"
}

# tried ITEM: that item as it is when it is asked for again
tried() {
	printf '%s' "${1/\"annotations\":\{/\"annotations\":\{\"kpipe.dev/accepted\":\"CODE\",}"
}

# paths_of PRIMARY: the digest of the paths of its first item, from ireconcile
paths_of() {
	ireconcile -f "$T/watches.yaml" <<<"$1" |
		jq -r '.items[0].metadata.annotations["kpipe.dev/paths"]'
}

# A program for most tests: spec.n ConfigMaps with the value spec.k.
write_program() {
	watches dependents: '- {apiVersion: v1, kind: ConfigMap, manage: true}' \
		'- {apiVersion: v1, kind: Pod, map: {label: thing}}'
	cat >"$T/program.jq" <<'END'
def desired: [range(.primary.spec.n) as $i
	| {apiVersion: "v1", kind: "ConfigMap",
	   metadata: {name: "\(.primary.metadata.name)-\($i)"},
	   data: {k: .primary.spec.k}}];
def status: {busy: (.outstanding != []), pods: [.owned.Pod[].metadata.name]}
	+ if .error then {error: .error} else {} end;
END
	PATHS=$(paths_of "$(thing a 1 "" '"spec":{"n":1,"k":"v"}')")
	[ ${#PATHS} -eq 22 ] || echo "Bail out! no digest of paths"
}

# observed NAME OWNER VALUE RV [METADATA]: that item as the server has it
observed() {
	object ConfigMap "$1" "$4" \
		"\"annotations\":{\"kpipe.dev/paths\":\"$PATHS\"},$(owner "$2")${5:+,$5}" \
		"\"data\":{\"k\":\"$3\"}"
}

# spec N VALUE, status BUSY: members of a Thing and of its line
spec() { printf '"spec":{"n":%s,"k":"%s"}' "$1" "$2"; }
status() { printf '"status":{"busy":%s,"pods":[]}' "$1"; }

# creates NAME RV [VALUE]: the line for that Thing, whose only item is not there
creates() {
	line "$(configmap "$1-0" "$1" "${3:-v}")" "$1" "$2" \
		"$(known "$1-0" null),$(status true),$(on_error)"
}

# known NAME UID...: of ConfigMaps; then the other members for outstanding
# items.
known() {
	local sep="" name uid

	printf '"known":{'
	while [ $# -gt 0 ]; do
		name=$1 uid=$2
		[ "$uid" = null ] || uid="\"$uid\""
		printf '%s"ConfigMap/ns/%s":%s' "$sep" "$name" "$uid"
		sep=,
		shift 2
	done
	printf '}'
}
# because NAME VERSION|MEMBERS: why that ConfigMap is in the line: its data, of
# that version, or something else
because() {
	local why=$2

	case $why in
	*:*) ;;
	*) why='"differs":[{"path":".data.k"}],"version":"'$why'"' ;;
	esac
	printf '"because":{"items":{"ConfigMap/ns/%s":{%s}}}' "$1" "$why"
}
# shellcheck disable=SC2034 # for the tests
repaired='"differs":[{"path":".data.k"}],"repair":true'
on_error() {
	# shellcheck disable=SC2016
	printf '"onError":{"busy":true,"error":"${error}","pods":[]}'
}
