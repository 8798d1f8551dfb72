#!/bin/bash
# What a program may rely on in its input: the order of .owned and .related; and
# when a file that is written by hand is evaluated.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cd "$T" || exit 1
watches related: '- {apiVersion: v1, kind: Secret}'
cat >program.jq <<'END'
def desired: [];
def status: {names: [.related.Secret[].metadata | "\(.namespace)/\(.name)"]};
END
secrets() {
	jq -cn '("b/a", "a/c", "a/B", "a-b/x", "a/b") | split("/") |
		{apiVersion: "v1", kind: "Secret", metadata: {namespace: .[0],
			name: .[1], uid: join("-"), resourceVersion: "1"}}'
}
{ secrets; thing a 1; } >in
ireconcile -f watches.yaml --clock=input <in >out
is "$(jq -c .reconcile.status.names out)" '["a/B","a/b","a/c","a-b/x","b/a"]' \
	"namespaces, then names, byte by byte"
{ thing a 1; secrets | tac; } >in
ireconcile -f watches.yaml --clock=input <in >out
is "$(jq -c .reconcile.status.names out)" '["a/B","a/b","a/c","a-b/x","b/a"]' \
	"... in whatever order they came"
is "$(wc -l <out)" 1 "without bookmarks: evaluated at the end, once"
done_testing
