#!/bin/bash
# kapply reads files, in JSON and YAML.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck disable=SC2119
cluster_start

cat >"$T/a.yaml" <<'EOF'
# Two documents, and an empty one
apiVersion: v1
kind: Namespace
metadata:
  name: x
---
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: x}
data:
  text: |
    two
    lines
  word: "yes"
EOF
cat >"$T/b.json" <<'EOF'
{
  "apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "ConfigMap",
      "metadata": {"name": "b", "namespace": "x"}}
  ]
}
EOF
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"x"}}' >"$T/c.jsonl"
names() {
	jq -r '"\(.metadata.name) \(.result)"' "$T/out" | sort | xargs
}

runs 0 "files: YAML, JSON, lines" \
	kapply -o result -f "$T/a.yaml" --filename="$T/b.json" "$T/c.jsonl"
is "$(names)" "a created b created c created x created" "... are all applied"
is "$(cat "$T/err")" "" "... silently"
is "$(kubectl get configmap a -n x -o json | jq -c .data)" \
	'{"text":"two\nlines\n","word":"yes"}' "... text is as it was"
runs 0 "-: standard input" kapply -o result -f - <"$T/a.yaml"
is "$(names | cut -d ' ' -f 1,2)" "a unchanged" "... in YAML"
runs 0 "an operand -" kapply -o result - <"$T/b.json"
is "$(names)" "b unchanged" "... in JSON"

printf -- '---\n# nothing\n---\n' >"$T/none.yaml"
echo '{"apiVersion":"v1","kind":"List","items":[]}' >"$T/none.json"
: >"$T/empty"
runs 0 "files without an object" \
	kapply "$T/none.yaml" "$T/none.json" "$T/c.jsonl" "$T/empty"
is "$(cat "$T/err")" "$(printf "kapply: warning: $T/%s: there is no object in it\n" none.yaml none.json empty)" \
	"... are named"

{
	for files in none.yaml none.json empty; do
		runs 1 "$files alone" kapply "$T/$files"
		is "$(tail -n 1 "$T/err")" "kapply: error: no object to apply: there is none in what is named" \
			"... is an error"
	done
	runs 1 "standard input, named" kapply -
	is "$(cat "$T/err")" "kapply: warning: standard input: there is no object in it
kapply: error: no object to apply: there is none in what is named" "... as well"
	runs 0 "standard input of a pipeline" kapply
	is "$(cat "$T/err")" "" "... may be empty"
} </dev/null
printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x","namespace":"y"}}\n' >"$T/scope.json"
runs 0 "a Namespace that says that it is in one" kapply -o result "$T/scope.json"
is "$(jq -c .metadata "$T/out")" '{"name":"x"}' "... is in none"

printf 'read by another\n' >"$T/rest.yaml"
cat "$T/a.yaml" >>"$T/rest.yaml"
{
	read -r _
	runs 0 "-: what is left of a file" kapply -o result -f -
} <"$T/rest.yaml"
is "$(names | cut -d ' ' -f 1,2)" "a unchanged" "... is read"
# shellcheck disable=SC2016
runs 0 "-: a socket" perl -e 'use Socket;
	socketpair(my $here, my $there, AF_UNIX, SOCK_STREAM, 0) or die;
	if (fork) {
		close $there;
		open(my $file, "<", shift) or die;
		print $here $_ while <$file>;
		close $here;
		wait;
		exit($? >> 8);
	}
	close $here;
	open(STDIN, "<&", $there) or die;
	exec @ARGV[1 .. $#ARGV];' "$T/a.yaml" kapply -o result -f -
is "$(names | cut -d ' ' -f 1,2)" "a unchanged" "... is read"
{
	printf '\xef\xbb\xbf'
	sed 1d "$T/a.yaml"
	printf '\xef\xbb\xbf---\n'
	sed 1d "$T/a.yaml"
} >"$T/mark.yaml"
runs 0 "byte order marks, of files that were joined" kapply "$T/mark.yaml"
iconv -f utf-8 -t utf-16 "$T/a.yaml" >"$T/wide.yaml"
runs 1 "UTF-16" kapply "$T/wide.yaml"
is "$(cat "$T/err")" \
	"kapply: error: $T/wide.yaml:1: this is UTF-16: save the file as UTF-8" \
	"... is said"

# What is not YAML 1.2 means what kubectl makes of it.
cat >"$T/mode.yaml" <<'EOF'
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: x}
spec:
  replicas: 0
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec:
      containers: [{name: c, image: example.com/c}]
      volumes: [{name: v, configMap: {name: a, defaultMode: 0640}}]
EOF
runs 0 "an octal number" kapply "$T/mode.yaml"
is "$(kubectl get deploy d -n x -o json |
	jq '.spec.template.spec.volumes[0].configMap.defaultMode')" 416 \
	"... is one"
while IFS='|' read -r text want; do
	printf 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: z\n  namespace: x\n%s\n' \
		"$text" >"$T/bad.yaml"
	runs 1 "refused: $text" kapply "$T/bad.yaml"
	is "$(cat "$T/err")" "kapply: error: $T/bad.yaml:$want" "... is said"
done <<'EOF'
  labels: {on: "1"}|6: the key on is a boolean for kubectl: write "on", or true or false
  labels: {a: yes}|6: a: yes is a boolean for kubectl: write "yes", or true or false
data: {a: *x}|6: this alias has no anchor, or is within it
data: {a: [}|6: did not find expected node content while parsing a flow node
EOF
runs 1 "... nothing of that file is applied" kubectl get configmap z -n x

# The place of what is wrong
cat >"$T/bad.yaml" <<'EOF'
apiVersion: v1
kind: ConfigMap
metadata: {name: e, namespace: x}
---
kind: ConfigMap
metadata: {name: f}
EOF
runs 1 "an object that is not one" kapply -o result "$T/bad.yaml" "$T/c.jsonl"
is "$(cat "$T/err")" "kapply: error: $T/bad.yaml: line 4: it has no apiVersion" \
	"... is named by its file and line"
is "$(names)" "c unchanged e created" "... the others are applied"
printf '%s\nno\n' "$(cat "$T/c.jsonl")" >"$T/bad.json"
runs 1 "a bad line of a file" kapply "$T/bad.json"
is "$(cat "$T/err")" "kapply: error: $T/bad.json: line 2: unexpected byte at byte 2" \
	"... as well"

runs 100 "a file that is not there" kapply "$T/a.yaml" "$T/absent.yaml"
is "$(cat "$T/err")" "kapply: fatal: cannot read $T/absent.yaml: No such file or directory" \
	"... is said before anything is applied"
done_testing
