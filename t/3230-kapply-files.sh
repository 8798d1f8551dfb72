#!/bin/bash
# kapply reads files, in JSON and YAML, as kubectl does: YAML 1.1, anchors,
# folders, documents of JSON with --- between them; and says at once what time
# does not mend.
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
	jq -rs 'map("\(.metadata.name) \(.result)") | sort | join(" ")' "$T/out"
}
cm() {
	printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"default"}}' "$1"
}

runs 0 "files: YAML, JSON, lines" \
	kapply -o result -f "$T/a.yaml" --filename="$T/b.json" "$T/c.jsonl"
is "$(names)" "a created b created c created x created" "... are all applied"
is "$(<"$T/err")" "" "... silently"
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
is "$(<"$T/err")" "$(printf "kapply: warning: $T/%s: there is no object in it\n" none.yaml none.json empty)" \
	"... are named"

{
	for files in none.yaml none.json empty; do
		runs 1 "$files alone" kapply "$T/$files"
		is "$(tail -n 1 "$T/err")" "kapply: error: no object to apply: there is none in what is named" \
			"... is an error"
	done
	runs 1 "standard input, named" kapply -
	is "$(<"$T/err")" "kapply: warning: standard input: there is no object in it
kapply: error: no object to apply: there is none in what is named" "... as well"
	runs 0 "standard input of a pipeline" kapply
	is "$(<"$T/err")" "" "... may be empty"
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
is "$(<"$T/err")" \
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
	is "$(<"$T/err")" "kapply: error: $T/bad.yaml:$want" "... is said"
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
is "$(<"$T/err")" "kapply: error: $T/bad.yaml: line 4: it has no apiVersion" \
	"... is named by its file and line"
is "$(names)" "c unchanged e created" "... the others are applied"
printf '%s\nno\n' "$(<"$T/c.jsonl")" >"$T/bad.json"
runs 1 "a bad line of a file" kapply "$T/bad.json"
is "$(<"$T/err")" "kapply: error: $T/bad.json: line 2: unexpected byte at byte 2" \
	"... as well"

runs 100 "a file that is not there" kapply "$T/a.yaml" "$T/absent.yaml"
is "$(<"$T/err")" "kapply: fatal: cannot read $T/absent.yaml: No such file or directory" \
	"... is said before anything is applied"

# --- what a value is, at the server
jq -nc '{apiVersion: "apiextensions.k8s.io/v1",
	kind: "CustomResourceDefinition", metadata: {name: "anys.f.example.com"},
	spec: {group: "f.example.com", scope: "Namespaced",
		names: {kind: "Any", plural: "anys"},
		versions: [{name: "v1", served: true, storage: true,
			schema: {openAPIV3Schema: {type: "object",
				"x-kubernetes-preserve-unknown-fields": true}}}]}}' |
	kapply -o none

# What a value is, at the server. The second column is what kubectl stores.
mapfile -t values <<'EOT'
1_000|1000
1__0|10
1_0.5|10.5
0b11|3
-0b1|-1
0X1F|31
-0x10|-16
0_7|7
0755_0|3944
-017|-15
08|8
0o17|15
_1|"_1"
0b12|"0b12"
0x|"0x"
12:30|"12:30"
1_0:30|"1_0:30"
.5|0.5
1e400|"1e400"
2024-01-01|"2024-01-01"
!!str 1|"1"
!!binary aGk=|"hi"
!!int "3"|3
{1_000: x, 0x1F: v, 1e3_0: w}|{"1000":"x","1e+30":"w","31":"v"}
{1e3: x, 0.50: v, True: z}|{"0.5":"v","1000":"x","true":"z"}
{b: &x {c: 1}, d: *x}|{"b":{"c":1},"d":{"c":1}}
{b: &x {c: 1, e: 2}, d: {<<: *x, e: 3}}|{"b":{"c":1,"e":2},"d":{"c":1,"e":3}}
{e: 3, <<: [{e: 1}, {e: 2, f: 4}]}|{"e":1,"f":4}
EOT
mkdir "$T/any"
for n in "${!values[@]}"; do
	printf 'apiVersion: f.example.com/v1\nkind: Any\nmetadata: {name: a%d, namespace: default}\nspec: {a: %s}\n' \
		"$n" "${values[n]%|*}" >"$T/any/$n.yaml"
done
kapply -o none "$T/any" 2>"$T/err" || quote <"$T/err"
mapfile -t stored < <(kubectl get anys.f.example.com -o json | jq -Sc \
	'.items | sort_by(.metadata.name[1:] | tonumber)[].spec.a')
for n in "${!values[@]}"; do
	IFS='|' read -r text want <<<"${values[n]}"
	is "${stored[n]-}" "$want" "$text is $want"
	with_kubectl || continue
	is "$(kubectl create --dry-run=client --validate=false -o json \
		-f "$T/any/$n.yaml" | jq -Sc .spec.a)" "$want" "... for kubectl, too"
done
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default}\ndata: {a: 1_000}\n' >"$T/number.yaml"
runs 1 "a number where the server wants a text" kapply "$T/number.yaml"
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default}\ndata: {0x1: a, 1: b}\n' >"$T/twice.yaml"
runs 1 "a key in two spellings" kapply "$T/twice.yaml"
is "$(<"$T/err")" "kapply: error: $T/twice.yaml:4: duplicate key \"1\"" "... is one"
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default}\ndata: {~: b}\n' >"$T/null.yaml"
runs 1 "a key that is null" kapply "$T/null.yaml"
is "$(<"$T/err")" "kapply: error: $T/null.yaml:4: a key is null: write \"~\"" "... is said"

# --- between documents of JSON, which have no newline, some, or two in a text
printf '%s\n---\n%s\n---\n' "$(cm j1)" "$(cm j2)" >"$T/j.json"
runs 0 "--- between JSON" kapply -o result "$T/j.json"
is "$(names)" "j1 created j2 created" "... is none of it"
runs 0 "... on standard input" kapply -o result <"$T/j.json"
is "$(names)" "j1 unchanged j2 unchanged" "... as well"
{ cm j3 | jq .; printf -- '--- # \n'; cm j4 | jq .; } | sed 's/ # //' >"$T/p.json"
runs 0 "... on many lines" kapply -o result "$T/p.json"
is "$(names)" "j3 created j4 created" "... as well"
printf -- '---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: j5, namespace: default}\n---\n%s\n' \
	"$(cm j6 | jq --ascii-output '.data = {a: "\ud83d\ude00", b: "<>/"}' | sed 's,/",\\/",')" >"$T/mixed.yaml"
runs 0 "JSON after YAML, with an escape that only JSON has" kapply -o result "$T/mixed.yaml"
is "$(kubectl get configmap j6 -o json | jq -r '.data[]')" $'\U1F600\n<>/' "... is read as JSON"
printf '%s\n--\n' "$(cm j7)" >"$T/short.json"
runs 1 "two dashes" kapply "$T/short.json"

# YAML on standard input, in parts
{ printf '\n# a file\nkind: ConfigMap\napiVersion: v1\n'; printf 'metadata: {name: y1, namespace: default}\n---\n'
	printf '{kind: ConfigMap, apiVersion: v1, metadata: {name: y2, namespace: default}}\n'; } >"$T/y.yaml"
runs 0 "YAML on standard input" kapply -o result <"$T/y.yaml"
is "$(names)" "y1 created y2 created" "... is read as YAML"
printf 'a: [\n' >"$T/bad.yaml"
runs 1 "bad YAML there" kapply <"$T/bad.yaml"
is "$(<"$T/err")" "kapply: error: standard input:2: did not find expected node content while parsing a flow node" \
	"... is named by its line"

# A List in a List: kubectl refuses the file, and nothing of it is applied.
printf '{"apiVersion":"v1","kind":"List","items":[%s,{"apiVersion":"v1","kind":"List","items":[%s]}]}\n' \
	"$(cm l1)" "$(cm l2)" >"$T/lists.json"
cm l3 >"$T/good.json"
runs 1 "a List in a List" kapply -o result "$T/lists.json" "$T/good.json"
is "$(<"$T/err")" "kapply: error: $T/lists.json:1: a List in a List: nothing of this file is applied" "... is refused"
is "$(names)" "l3 created" "... and no other file"

# Folders
mkdir -p "$T/dir/below" "$T/bare"
cm f1 >"$T/dir/b.json"
printf 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: f2, namespace: default}\n' >"$T/dir/a.yaml"
cm f3 >"$T/dir/below/c.yml"
cm f4 >"$T/dir/d.txt"
runs 0 "a folder" kapply -o result -f "$T/dir"
is "$(names)" "f1 created f2 created" "... is its files"
runs 0 "-R" kapply -R -o result "$T/dir" "$T/dir/d.txt"
is "$(names)" "f1 unchanged f2 unchanged f3 created f4 created" "... those of folders below it, too; a file by its name is any"
ln -s ../../else "$T/dir/below/out"
ln -s .. "$T/dir/below/circle"
ln -s ../../else/f5.txt "$T/dir/below/f5.json"
mkdir "$T/else"
cm f5 >"$T/else/f5.txt"
cm f6 >"$T/else/f6.json"
runs 0 "links below it" kapply -R -o result "$T/dir"
is "$(names)" "f1 unchanged f2 unchanged f3 unchanged f5 created" "... lead to files, not out of the folder or in a circle"
ln -s dir "$T/link"
runs 0 "a link that is named" kapply -o result "$T/link"
is "$(names)" "f1 unchanged f2 unchanged" "... is its folder"
ln -s ../else "$T/dir/out.yaml"
runs 100 "a link to a folder with the name of a file" kapply -R "$T/dir"
is "$(<"$T/err")" "kapply: fatal: $T/dir/out.yaml is a link to a folder, and not followed: name it, too, to have what is in it" \
	"... is said"
deep=$T/deep
mkdir "$deep"
(
	cd "$deep" || exit
	name=$(printf 'd%.0s' {1..250})
	for _ in {1..18}; do
		mkdir "$name" && cd "$name" || exit
	done
	cm f7 >f7.json
)
runs 100 "folders that are too deep for a path" kapply -R "$deep"
ok "... are not passed over" grep -q 'cannot read .*/ddd' "$T/err"
runs 100 "an empty folder" kapply "$T/bare"
is "$(<"$T/err")" "kapply: fatal: $T/bare has no file .json, .yaml or .yml (-R looks in folders below it, too)" \
	"... is said"

# Time does not mend a wrong token.
echo "right,user,1" >"$T/tokens"
start kapi --token-auth-file="$T/tokens" --anonymous-auth=false --kubeconfig-out="$T/kc" >"$T/kapi.log" 2>&1
wait_for 10 test -s "$T/kc"
sed 's/token: .*/token: wrong/' "$T/kc" >"$T/wrong"
for tool in kapply kstatus; do
	cm u | jq -c '.status = {}' >"$T/in"
	runs 100 "$tool with a wrong token" $tool --kubeconfig "$T/wrong" --timeout=600s <"$T/in"
	ok "... says so" grep -q "^$tool: fatal: Unauthorized: https://.* does not accept user" "$T/err"
done
done_testing
