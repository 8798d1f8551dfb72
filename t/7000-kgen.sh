#!/bin/bash
# kgen reads the folder of an operator, says what is wrong with it, and runs
# generators on its description.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# ---- the description ----

for folder in pipeline/*/operator.yaml; do
	folder=${folder%/*}
	runs 0 "kgen describe: $folder" kgen describe -f "$folder"
	is "$(wc -l <"$T/out")" 1 "... is one line"
	is "$(jq -r '.name' "$T/out")" "${folder##*/}" "... with its name"
done

kgen describe -f pipeline/iotservice >"$T/out"
is "$(jq -c '.variables[]' "$T/out")" \
	'{"name":"IOTSERVICE_ADOPT_LABEL","default":"","required":false}
{"name":"IOTSERVICE_PARALLEL","default":"30","required":false}
{"name":"OPERATOR_NAME","default":null,"required":true}' \
	"the variables of watches.yaml, each once"
is "$(jq -c '.watches[0] | [.namespaces, .throttle]' "$T/out")" \
	'[["${OPERATOR_NAME}"],{"limit":"${IOTSERVICE_PARALLEL:-30}","timeout":"15m"}]' \
	"... which stay in what is watched"
is "$(jq -c '[.scope, .credentials, .namespace, .env, .plurals]' "$T/out")" \
	'["cluster","stages","iotservice-operator-system",{},{}]' "defaults"
is "$(jq -c '[.crds[0].metadata.name, (.crds | length), .examples[-1].kind,
	(.files | index("config.jq") != null and index("t/life.jsonl") != null)]' \
	"$T/out")" \
	'["iotservices.cp.iot.sap",1,"IoTService",true]' \
	"crd.yaml, example.yaml and the names of files"
is "$(jq -r .kpipe.version "$T/out")" \
	"$(kgen --version | awk 'NR == 1 { print $2 }')" "the version of kpipe"

runs 0 "options that override" kgen describe -f pipeline/at \
	--image=registry.example.com:5000/ops/at:1.0@sha256:"$(printf '%064d' 0)" \
	--namespace=ops --scope=cluster --set env.AT_IMAGE=busybox --set version=2.0.0
is "$(jq -c '[.image, .namespace, .scope, .env.AT_IMAGE, .version]' "$T/out")" \
	"[\"registry.example.com:5000/ops/at:1.0@sha256:$(printf '%064d' 0)\",\"ops\",\"cluster\",\"busybox\",\"2.0.0\"]" \
	"... do"
runs 0 "the current folder" env -C pipeline/at kgen describe
is "$(jq -r .name "$T/out")" at "... is the default"

# ---- what is written about it ----

kgen --help >"$T/help"
for command in new add crd rights manifests chart bundle image describe; do
	ok "--help has $command" grep -q "^  $command " "$T/help"
	ok "... and so has the page" grep -q "^.It Cm $command" cmd/kgen/kgen.1
done
sed -n 's/^    {"\(.*\)", SHAPE_.*/\1/p' cmd/kgen/opfile.c >"$T/keys"
while read -r key; do
	ok "the page has $key" grep -qw "$key" cmd/kgen/kgen.1
done <"$T/keys"

# ---- what is wrong ----

f=$T/op
fresh() {
	rm -rf "$f"
	mkdir "$f"
	cp pipeline/memcached/*.yaml pipeline/memcached/reconcile.jq "$f"
}
# refused WHAT MESSAGE [ARGUMENT]...: also nothing on standard output
refused() {
	local what=$1 message=$2

	shift 2
	runs 100 "$what" kgen describe -f "$f" "$@"
	is "$(<"$T/err")$(<"$T/out")" "kgen: fatal: $message" "... says so"
}
# changed FILE SED-SCRIPT
changed() {
	fresh
	sed -i "$2" "$f/$1"
}

fresh
touch "$f"/{z,c,m,a}.jq "$f/reconcile.jq~" "$f/.hidden"
mkdir "$f/t"
touch "$f/t/"{b,a}
is "$(kgen describe -f "$f" | jq -c .files)" \
	'["a.jq","c.jq","crd.yaml","example.yaml","m.jq","operator.yaml","rbac.yaml","reconcile.jq","t/a","t/b","watches.yaml","z.jq"]' \
	"its files, sorted, without those of an editor"
rm -rf "$f"
runs 0 "the caller's environment means nothing" env IOTSERVICE_PARALLEL=x \
	kgen describe -f pipeline/iotservice

runs 100 "no folder" kgen describe -f "$T/nowhere"
is "$(<"$T/err")" "kgen: fatal: $T/nowhere: not a folder" "... says so"
mkdir "$f"
refused "an empty folder" \
	"$f: not the folder of an operator: it has no operator.yaml, watches.yaml"
for file in operator.yaml watches.yaml crd.yaml reconcile.jq; do
	fresh
	rm "$f/$file"
	mkfifo "$f/$file"
	runs 100 "$file is a pipe" timeout 300 kgen describe -f "$f"
	is "$(<"$T/err")" "kgen: fatal: $f/$file: not a file" "... says so"
done
fresh
ln -sf "$PWD/pipeline/at/example.yaml" "$f/example.yaml"
refused "a link to a file elsewhere" \
	"$f/example.yaml: a link that leads out of the folder"
fresh
mkdir "$f/inner"
mv "$f/example.yaml" "$f/inner/mine.yaml"
ln -s inner/mine.yaml "$f/example.yaml"
runs 0 "one to a file of the folder" kgen describe -f "$f"
fresh
rm "$f/crd.yaml"
refused "no crd.yaml" "$f/watches.yaml:2: memcached.cache.example.com: $f/crd.yaml is missing"
fresh
rm "$f/reconcile.jq"
refused "no program" "$f/watches.yaml:5: program $f/reconcile.jq: No such file or directory"
changed operator.yaml 's/^name: .*/name: Mem_cached/'
refused "a name" "$f/operator.yaml:1: name: \"Mem_cached\" is not a DNS label: a letter first, then lower case, digits and dashes"
changed operator.yaml 's/^name: .*/name: a23456789-123456789-123456789-123456/'
refused "a long name" "$f/operator.yaml:1: name: \"a23456789-123456789-123456789-123456\" has 36 characters; NAME-operator-controller-manager leaves room for 35"
changed operator.yaml 's/^name: .*/name: a23456789-123456789-123456789-12345/'
runs 0 "one of 35 characters" kgen describe -f "$f"
changed operator.yaml 's/^name: .*/name: 9a/'
refused "a digit first" "$f/operator.yaml:1: name: \"9a\" is not a DNS label: a letter first, then lower case, digits and dashes"
changed operator.yaml '$a deployment: a.b'
refused "the name of a Deployment" "$f/operator.yaml:$(wc -l <"$f/operator.yaml"): deployment: \"a.b\" is not a DNS label: a letter first, then lower case, digits and dashes"
changed operator.yaml '/^version/d'
refused "no version" "$f/operator.yaml:1: version is missing"
changed operator.yaml 's/^version: .*/version: v1/'
refused "a version" "$f/operator.yaml:2: version: \"v1\" is not a version as 1.2.3"
changed operator.yaml 's/^image: .*/image: a:1/'
refused "an image with a tag" "$f/operator.yaml:3: image: \"a:1\" has a tag or a digest: name the repository alone"
changed operator.yaml 's/^image: .*/image: A\/b/'
refused "an image" "$f/operator.yaml:3: image: \"A/b\" is not a repository, as registry.example.com/name"
changed operator.yaml 's/^keywords: .*/keyword: [a]/'
refused "an unknown key" "$f/operator.yaml:6: unknown key \"keyword\" (did you mean \"keywords\"?)"
changed operator.yaml 's/^keywords: .*/scope: world/'
refused "a scope" "$f/operator.yaml:6: scope: \"world\" is neither namespace nor cluster"
changed operator.yaml 's/^keywords: .*/credentials: none/'
refused "credentials" "$f/operator.yaml:6: credentials: \"none\" is neither stages nor pod"
changed operator.yaml 's/^keywords: .*/env: {A: [b]}/'
refused "env" "$f/operator.yaml:6: env must be a mapping of texts"
changed operator.yaml 's/^description: .*/description: ""/'
refused "a description" "$f/operator.yaml:4: description is empty"
changed watches.yaml 's/version: v1alpha1/version: v1/'
refused "a version that is not served" "$f/watches.yaml:2: Memcached: crd.yaml does not serve version v1"
changed watches.yaml 's/^  kind: Memcached/&\n  scope: Cluster/'
refused "another scope" "$f/watches.yaml:2: Memcached: scope is Cluster, but crd.yaml has Namespaced"
changed watches.yaml 's/program: .*/&\n  related: [{apiVersion: cache.example.com\/v1, kind: Memcached}]/'
refused "... of a related kind" "$f/watches.yaml:6: Memcached: crd.yaml does not serve version v1"
changed watches.yaml 's/kind: Memcached/kind: Thing/'
refused "another kind" "$f/watches.yaml:2: thing.cache.example.com: $f/crd.yaml has no such kind"
changed watches.yaml 's/program: .*/&\n  colour: red/'
refused "a key of watches.yaml" "$f/watches.yaml:6: unknown key \"colour\""
changed crd.yaml '/^    subresources:/,/labelSelectorPath/d'
refused "no status" "$f/crd.yaml:14: subresources.status is missing, but the operator writes the status (watches.yaml: manageStatus)"
changed crd.yaml 's/^  name: memcacheds/  name: memcached/'
refused "a CRD's name" "$f/crd.yaml:1: metadata.name must be memcacheds.cache.example.com"
changed crd.yaml 's/^kind: .*/kind: Pod/'
refused "not a CRD" "$f/crd.yaml:1: not a CustomResourceDefinition"
changed crd.yaml 's,^  group: .*,  group: ../../x,'
refused "a group that leads to another folder" "$f/crd.yaml:1: spec.group is not a DNS name"
changed crd.yaml 's,^    plural: .*,    plural: "a\\nb",'
refused "a plural of two lines" "$f/crd.yaml:1: spec.names.plural is not a DNS label"
changed crd.yaml 's,^    kind: .*,    kind: "{{ x }}",'
refused "a kind that is not one" "$f/crd.yaml:1: spec.names.kind is not a word of letters and digits"
changed crd.yaml 's/^            type: object/            type: [object/'
runs 100 "not YAML" kgen describe -f "$f"
ok "... names file and line" grep -q "^kgen: fatal: $f/crd.yaml:[0-9]*: " "$T/err"
fresh
printf -- '---\na: 9007199254740993\n' >>"$f/example.yaml"
runs 100 "a number that jq changes" kgen describe -f "$f"
ok "... is named" grep -q 'the description: .*examples\[1\].a' "$T/err"
fresh
printf -- '---\n---\n# nothing\n---\na: 1\n--- # three\nb: "${X}"\n' >>"$f/example.yaml"
runs 0 "several documents" kgen describe -f "$f"
is "$(jq -c '.examples[1:]' "$T/out")" '[{"a":1},{"b":"${X}"}]' "... are read"

fresh
refused "an image of the command line" '--image: "a b" is not an image, as registry.example.com/name:tag' --image="a b"
refused "a namespace" '--namespace: "A" is not a name of a namespace' --namespace=A
refused "--set" '--set x: write KEY=VALUE' --set x
refused "--set in a text" '--set name.x=1: a part of the key is not a mapping' --set name.x=1

refused "--set of a key that is not there" '--set:1: unknown key "repicas"' --set repicas=3
refused "--set of a name" '--set:1: name: "x y" is not a DNS label: a letter first, then lower case, digits and dashes' --set 'name=x y'
refused "--set of a number" '--set:1: replicas: "three" is not a number' --set replicas=three
for size in 5 0Mi Mi 64Ki 1.5Gi 64Mi2; do
	refused "--set of the size $size" "--set:1: record: \"$size\" is not a size, as 64Mi or 1Gi" --set "record=$size"
done
refused "--set of env" '--set:1: env must be a mapping of texts' --set 'env.A=[b]'
changed operator.yaml 's/^keywords: .*/rights: {kwach: {}}/'
refused "rights of a stage" "$f/operator.yaml:6: unknown key \"kwach\" (did you mean \"kwatch\"?)"
changed operator.yaml 's/^keywords: .*/rights: {kwatch: {cluster: [pods]}}/'
refused "rights that are not rules" "$f/operator.yaml:6: rights must be lists of rules"
changed operator.yaml 's/^keywords: .*/replicas: 3\nenv: {A: 1.10, B: 0x1, C: yes, D: ~}/'
runs 0 "texts that look like something else" kgen describe -f "$f" \
	--set env.E=1e3 --set provider=true
is "$(jq -c '[.env, .provider, .replicas]' "$T/out")" \
	'[{"A":"1.10","B":"0x1","C":"yes","D":"","E":"1e3"},"true",3]' \
	"... stay texts"

# bad MESSAGE ARGUMENT...
bad() {
	local message=$1

	shift
	runs 100 "kgen $*" kgen "$@"
	is "$(<"$T/err")" "kgen: fatal: $message" "... $message"
}
bad 'COMMAND is missing: describe, new, rights, ... (see --help)'
bad 'unexpected argument "b"' rights b
bad 'unknown command "nothing": there is no gen/nothing.jq' nothing -f "$f"
bad 'unknown command "../rights": there is no gen/../rights.jq' ../rights -f "$f"
bad '--check and --diff exclude each other' rights --check --diff -o x
bad '--check, --diff and --force need -o' rights --check
bad '--from is for rights, new, add and crd' describe --from=x
bad '--user needs rights with --from' rights --user=x
bad 'rights: --from and -o exclude each other' rights --from=x -o y

# ---- generators ----

mkdir "$f/gen" "$f/lib"
cat >"$f/lib/words.jq" <<'END'
def words: "\(.name) words";
END
generator() {
	cat >"$f/gen/hello.jq"
}
generator <<'END'
# A generator of its own.
include "lib/words";
include "gen/yaml";

def hello: [{path: "a/hello.yaml", objects: [{a: words}, {"#": "two", b: 1}]},
  {path: "run", text: "#!/bin/sh\ntrue\n", executable: true}];
END
runs 0 "a generator of the folder" kgen hello -f "$f"
is "$(<"$T/out")" "# Source: a/hello.yaml
a: memcached words
---
# two
b: 1
# Source: run
#!/bin/sh
true" "... with what it includes"
cat >"$f/gen/rights.jq" <<'END'
def rights: [{path: "mine.yaml", text: "a: 1"}];
END
runs 0 "one that replaces the library's" kgen rights -f "$f"
is "$(<"$T/out")" "# Source: mine.yaml
a: 1" "... does"
rm "$f/gen/rights.jq"
mkdir -p "$T/more/gen"
echo 'def other: [{path: "o.yaml", text: ("b: " + .name)}];' >"$T/more/gen/other.jq"
runs 0 "one of another folder" kgen other -f "$f" -L "$T/more"
is "$(tail -n 1 "$T/out")" "b: memcached" "... by -L"

# fails MESSAGE: the generator on standard input
fails() {
	generator
	runs 100 "a generator: $1" kgen hello -f "$f"
	is "$(sed "s,.*\.\./lib/jq,LIB," "$T/err" | cut -c -120)" "kgen: fatal: $1" \
		"... says so"
}
fails "$f/gen/hello.jq:3: wrong/0 is not defined" <<'END'
include "lib/words";

def hello: wrong;
END
fails "$f/gen/hello.jq:1: cannot find no/file.jq" <<'END'
include "no/file";
END
fails 'of the author' <<'END'
def hello: error("of the author");
END
fails 'gen/hello.jq gives no files' <<'END'
def hello: empty;
END
fails 'gen/hello.jq must give one array of files' <<'END'
def hello: [], [];
END
fails 'a file has no path' <<'END'
def hello: [{text: "a"}];
END
fails 'x has no text' <<'END'
def hello: [{path: "x"}];
END
# Nothing but the operator and the library is read.
echo '{"secret": 1}' >"$T/secret.json"
for line in "import \"secret\" as \$x {search: \"$T\"};" \
	"include \"$T/secret\";" 'include "../secret";' \
	"include \"secret\" {search: \"$T\"};"; do
	generator <<-END
		$line
		def hello: [{path: "x", text: "read"}];
	END
	runs 100 "$line" kgen hello -f "$f"
	ok "... is an error" grep -q "^kgen: fatal: $f/gen/hello.jq:1: " "$T/err"
done
generator <<'END'
def hello: [{path: "x", text: ([env, $ENV] | map(del(.HOME) | length) | tojson)}];
END
runs 0 "the environment" env KPIPE_SECRET=1 kgen hello -f "$f"
is "$(tail -n 1 "$T/out")" "[0,0]" "... is not seen"
generator <<'END'
def forever: if . < 0 then . else (. + 1 | forever) end;
def hello: 0 | forever;
END
runs 100 "one that does not end" bash -c "ulimit -S -t 1; kgen hello -f '$f'"
is "$(<"$T/err")" "kgen: fatal: the generator takes too much time" "... is ended"

done_testing
