#!/bin/bash
# kgen image: the Containerfile has what an operator runs, where it looks, and
# nothing else; a warning of filters, which are not in it. (t/7120-podman.sh builds one.)
# check-all: images
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

f=$T/op
cp -r pipeline/memcached "$f"
mkdir "$f/words"
touch "$f/words/hello.jq" "$f/key.json" "$f/kubeconfig.yaml" "$f/t/run.jq"
runs 0 "kgen image" kgen image -f "$f"
is "$(grep ^COPY "$T/out")" \
	"COPY --chown=0:0 watches.yaml reconcile.jq /operator/
COPY --chown=0:0 words/hello.jq /operator/words/" "the files that run, each in its folder"
is "$(grep -E '^(USER|ENTRYPOINT|CMD|FROM|ARG)' "$T/out")" \
	"ARG BASE=localhost/kpipe:$(make -s version)
FROM \${BASE}
USER 65532:65532
ENTRYPOINT [\"/usr/bin/kpipe\"]
CMD [\"-f\", \"/operator/watches.yaml\"]" "it starts kpipe, not as root"
is "$(grep ^LABEL "$T/out" | cut -d = -f 1 | sed 's/.*\.//' | xargs)" \
	"title version description" "its labels"
is "$(<"$T/err")" "" "... and no warning"

### Filters are not in it

cat >>"$f/watches.yaml" <<'END'
  filters:
  - [./stations, "${URL:-http://x}", 60]
  - ["jq", -c, .]
END
runs 0 "kgen image: with filters" kgen image -f "$f"
is "$(<"$T/err")" \
	'kgen: warning: watches.yaml: the image does not have the filter "./stations": add it, with what it needs to run, in an image FROM this one
kgen: warning: watches.yaml: the image does not have the filter "jq": add it, with what it needs to run, in an image FROM this one' \
	"... names each of them"
runs 0 "... in a file as well" kgen image -f "$f" -o "$T/made"
is "$(grep -c warning "$T/err")" 2 "... the same"
runs 0 "another command" kgen rights -f "$f"
is "$(<"$T/err")" "" "... says nothing about them"
done_testing
