#!/bin/bash
# kgen --program=configmap: the programs of an operator in a ConfigMap, which the
# manifests and the chart mount; what cannot be in one is said.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
cd "$T" || exit

kgen new web --group example.com --kind Web 2>/dev/null
mkdir -p web/words/more web/t/old
printf 'def file: "settings.json";\n' >web/words/more/names.jq
printf 'def a: "\\t{{ b }}";\n\tdef c: 1;\n' >web/words/tab.jq
sed -i 's/^version: .*/version: 3.2.1/' web/operator.yaml
touch web/t/run.jq web/t/old/run.jq web/key.json web/words/kubeconfig.yaml
ln -s .. web/words/up
version=$(kpipe --version | sed -n '1s/.* //p')

# made KGEN-ARGUMENT...: the stream, one object on a line
made() {
	runs 0 "kgen manifests $*" kgen manifests -f web --program=configmap "$@"
	mv out made.yaml
	"$ROOT/t/yaml-lines" <made.yaml >made.json
}
of_kind() {
	jq -c --arg kind "$1" 'select(.kind == $kind)' made.json
}

made
is "$(<err)" "" "... without a warning"
is "$(of_kind ConfigMap | jq -c '[.immutable, .metadata.namespace,
	(.data | keys)]')" \
	'[true,"web-operator-system",["reconcile.jq","watches.yaml","words__more__names.jq","words__tab.jq"]]' \
	"the files that run, __ for /"
of_kind ConfigMap | jq -r '.data["words__tab.jq"]' | head -n -1 >tab
same tab web/words/tab.jq "... as they are"
of_kind ConfigMap | jq -r '.data["reconcile.jq"]' | head -n -1 >program
same program web/reconcile.jq "... all of them"
name=$(of_kind ConfigMap | jq -r .metadata.name)
ok "the name has a digest" grep -qE '^web-operator-program-[0-9a-f]{10}$' \
	<<<"$name"
is "$(of_kind Deployment | jq -c '.spec.template.spec
	| (.volumes[] | select(.name == "program").configMap
		| .name, (.items | map("\(.key) \(.path)"))),
	(.containers[0] | .image, (.volumeMounts[] | select(.name == "program")))')" \
	"\"$name\"
[\"reconcile.jq reconcile.jq\",\"watches.yaml watches.yaml\",\"words__more__names.jq words/more/names.jq\",\"words__tab.jq words/tab.jq\"]
\"localhost/kpipe:$version\"
{\"name\":\"program\",\"mountPath\":\"/operator\",\"readOnly\":true}" \
	"the Pods of kpipe's image mount them, each in its folder"
is "$(jq -r .kind made.json | grep -nE 'ConfigMap|Deployment' | cut -d : -f 2 |
	xargs)" "ConfigMap Deployment" "... which is there before them"
kgen manifests -f web | "$ROOT/t/yaml-lines" | jq -c 'select(.kind == "Deployment")
	| .spec.template.spec' >image
of_kind Deployment | jq -c --slurpfile i image '.spec.template.spec
	| del(.volumes[] | select(.name == "program"))
	| del(.containers[0].volumeMounts[] | select(.name == "program"))
	| .containers[0].image = $i[0].containers[0].image' >same
same <(jq -S . same) <(jq -S . image) \
	"all else, such as rights, probes and the lease, is as with an image"

# --- a change is another ConfigMap
cp made.json first.json
made
same made.json first.json "the same folder gives the same"
echo '{}' >web/key.json
echo 'def x: 1;' >web/t/run.jq
made
same made.json first.json "... also when a file has changed that does not run"
for file in reconcile.jq words/more/names.jq watches.yaml; do
	echo "# more" >>"web/$file"
	made
	ok "... another $file is another name" test \
		"$(of_kind ConfigMap | jq -r .metadata.name)" != "$name"
	name=$(of_kind ConfigMap | jq -r .metadata.name)
done
sed -i 's/# more/# MORE/' web/watches.yaml
made
ok "... so is another text of the same length" test \
	"$(of_kind ConfigMap | jq -r .metadata.name)" != "$name"
name=$(of_kind ConfigMap | jq -r .metadata.name)
mv web/words/tab.jq web/words/blank.jq
made
ok "... so is another name of a file" test \
	"$(of_kind ConfigMap | jq -r .metadata.name)" != "$name"

# --- images, files, the chart
made --image registry.example.com/kpipe
is "$(of_kind Deployment | jq -r '.spec.template.spec.containers[0].image')" \
	"registry.example.com/kpipe:$version" "an image without a tag has kpipe's"
made --image registry.example.com/kpipe:x
is "$(of_kind Deployment | jq -r '.spec.template.spec.containers[0].image')" \
	"registry.example.com/kpipe:x" "... one with a tag has that"
kgen manifests -f web --program=configmap -o dir 2>/dev/null
ok "a folder for kustomize has it" grep -q 'program.yaml' \
	dir/base/kustomization.yaml
same <("$ROOT/t/manifests/build" dir/namespaced | jq -cS . | sort) \
	<(kgen manifests -f web --program=configmap | "$ROOT/t/yaml-lines" |
		jq -cS . | sort) "... builds the same"
runs 0 "the chart" kgen chart -f web --program=configmap -o chart
ok "... has it, without an expression" grep -q '{{ "{{" }} b }}' \
	chart/templates/program.yaml
is "$(sed -n 's/^  \(repository\|tag\): //p' chart/values.yaml | tr -d '"' |
	paste -sd :)" "localhost/kpipe:$version" "... its image is kpipe's"
is "$(grep -c mountPath:\ /operator chart/templates/operator.yaml \
	chart/templates/tests/dry_run.yaml | paste -sd ' ')" \
	"chart/templates/operator.yaml:1 chart/templates/tests/dry_run.yaml:1" \
	"... its Pods mount it, also that of helm test"

# --- on a server
runs 0 "it is applied" kubectl apply --server-side -f made.yaml
runs 0 "... and again" kubectl apply --server-side -f made.yaml

# --- what a ConfigMap cannot have
# refused WHAT MESSAGE [ARGUMENT...]
refused() {
	runs 100 "$1" kgen manifests -f web --program=configmap "${@:3}"
	is "$(<err)" "kgen: fatal: $2" "... is named"
}
printf 'def a:\n"\xff";\n' >web/bytes.jq
refused "bytes that are not UTF-8" \
	"web/bytes.jq: is not UTF-8, so it cannot be in a ConfigMap: convert it"
rm web/bytes.jq
touch "web/a b.jq"
refused "a name with a blank" '"a b.jq": a key of a ConfigMap cannot have this name: use letters, digits, dots and dashes, 253 in all'
rm "web/a b.jq"
touch web/words__blank.jq
refused "two files of one key" "words/blank.jq and words__blank.jq would be the same key of a ConfigMap, words__blank.jq: rename one"
rm web/words__blank.jq
used=$(cat web/{reconcile.jq,watches.yaml,words/blank.jq,words/more/names.jq} |
	wc -c)
# fill BYTES: a program that makes it so many in all
fill() {
	head -c "$(($1 - used))" /dev/zero | tr '\0' '#' >web/fill.jq
}
fill 1048576
made
runs 0 "1 MiB is applied" kubectl apply --server-side -f made.yaml
fill 1048577
runs 100 "a byte more" kgen manifests -f web --program=configmap
ok "... is refused, with the sizes" grep -q "^kgen: fatal: the programs have 1048577 bytes, and a ConfigMap takes 1048576: fill.jq $((1048577 - used)), reconcile.jq [0-9]*, .*: shorten them, or make an image of them (kgen image)$" err
rm web/fill.jq
cp web/watches.yaml kept
sed -i 's,program: reconcile.jq,program: ../reconcile.jq,' web/watches.yaml
cp web/reconcile.jq .
refused "a program outside of the folder" "watches.yaml: the program ../reconcile.jq is not below the folder, or not *.jq, so it cannot be in a ConfigMap"
cp kept web/watches.yaml
printf '  filters:\n  - [./stations, 60]\n' >>web/watches.yaml
refused "a filter" "watches.yaml: neither kpipe's image nor a ConfigMap has the filter \"./stations\": make an image of the operator (kgen image), or name one with that, FROM kpipe's (--image)"
runs 0 "... in an image that is named" kgen manifests -f web \
	--program=configmap --image registry.example.com/mine:1
is "$(<err)" 'kgen: warning: watches.yaml: a ConfigMap does not have the filter "./stations": the image registry.example.com/mine:1 must' \
	"... is a warning"
cp kept web/watches.yaml
refused "another place" 'option --program needs one of image|configmap, not "pod"' \
	--program=pod
for command in bundle image rights; do
	runs 100 "kgen $command" kgen $command -f web --program=configmap
	is "$(<err)" "kgen: fatal: --program=configmap is for manifests, chart and describe" \
		"... has none"
done
done_testing
