#!/bin/bash
# The table of doc/operator-sdk.md: its commands, in their order, on kapi, with the operator at work. A command that
# does not end (an operator, say) becomes ready, and ends with 0 after SIGTERM.
# servers: kapi
# check-all: needs Go
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
kapi_kubectl
kapi_start

ln -s "$ROOT/pipeline" "$T/pipeline"
ln -s "$ROOT/deploy" "$T/deploy"
kubectl apply -f pipeline/memcached/crd.yaml >/dev/null
kubectl apply -f pipeline/memcached/example.yaml >/dev/null
kubectl run me --image=x >/dev/null # the operator's own pod
for file in playground/watches.yaml playground/controllers.yaml \
	memcached/watches.yaml; do
	start kpipe -f "pipeline/$file" 2>>"$T/log"
done

# The last cell of each row, without its backquotes; \| is | in a table.
sed -n 's/^|.*| `\(.*\)` |$/\1/p' doc/operator-sdk.md | sed 's/\\|/|/g' >"$T/commands"
ok "there is a table" test "$(wc -l <"$T/commands")" -gt 30
is "$(grep -c '^| ' doc/operator-sdk.md)" $(($(wc -l <"$T/commands") + 1)) \
	"... each row has a command"

# serves COMMAND: it reports that it is ready, and ends with 0 after SIGTERM
serves() {
	: >"$T/err"
	start bash -c "$1" </dev/null >"$T/out" 2>"$T/err"
	wait_for 20 grep -qE 'kpipe: ready|"msg":"ready"|listening' "$T/err" &&
		kill $! && wait $!
}

# works COMMAND
works() {
	case $1 in
	*kpipe\ *--dry-run) timeout 300 bash -c "$1" ;;
	*kpipe\ * | kapi\ *) serves "$1" ;;
	*) timeout 300 bash -c "$1" </dev/null ;;
	esac >"$T/out" 2>"$T/err"
}

cd "$T" || exit
while IFS= read -r command <&3; do
	ok "$command" works "$command" || quote <"$T/err"
	if [ -d mine ] && [ "$PWD" = "$T" ]; then
		cd mine || exit
	fi
	case $command in
	echo*)
		ok "... is understood" ireconcile -f watches.yaml <state.jsonl
		cp "$T/pipeline/memcached/"{watches.yaml,reconcile.jq} .
		;;
	esac
done 3<"$T/commands"
done_testing
