#!/bin/bash
# pipeline/*/moving.md, "your command, and ours": the right column, as a reader
# types it, from top to bottom. An operator goes on until the next one. An image
# is not made here (t/7200-node.sh does).
# servers: kapi
# check-all: needs Go
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
kapi_kubectl
kapi_start
playground
# The reader's folder, which the commands change
mkdir "$T/tree"
cp -r pipeline "$T/tree"
for name in Makefile bin deploy lib; do
	ln -s "$ROOT/$name" "$T/tree/$name"
done

# operates COMMAND: in the background, and ready; that before has ended
operator=
stop() {
	[ -z "$operator" ] || { kill "$operator" && wait "$operator"; }
}
operates() {
	stop
	: >"$T/err"
	start bash -c "exec env $1" </dev/null >"$T/out" 2>"$T/err"
	operator=$!
	wait_for 20 grep -q '^kpipe: ready' "$T/err"
}
works() {
	case $1 in
	*kpipe\ *) operates "$1" ;;
	"make image"*) make -n image push IMG=x PIPELINE=at ;;
	*) timeout 300 bash -o pipefail -c "$1" </dev/null ;;
	esac >"$T/out" 2>"$T/err"
}

cd "$T/tree" || exit
for page in pipeline/*/moving.md; do
	sed -n 's/^|.*| `\(.*\)` |$/\1/p' "$page" |
		sed "s/\\\\|/|/g; s,/tmp\\>,$T,g" >"$T/commands"
	ok "$page has rows" test "$(wc -l <"$T/commands")" -gt 10
	while IFS= read -r command <&3; do
		ok "${command//"$T"/\/tmp}" works "$command" || quote <"$T/err"
		case $command in
		"kubectl get deployment example")
			is "$(jq -r .spec.replicas "$T/out")" 3 "... is made" ;;
		*"kubectl get iotservice -n devawsk8s")
			ok "... is Available" grep -q Available "$T/out" ;;
		"kubectl get pod sample-at")
			ok "... has run" grep -q Completed "$T/out" ;;
		esac
	done 3<"$T/commands"
	stop
	operator=
done
is "$(printf '%s\n' pipeline/*/moving.md | wc -l)" 4 "of four operators"
done_testing
