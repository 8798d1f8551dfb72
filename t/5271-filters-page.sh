#!/bin/bash
# doc/filters.md: its operator, as the page has it, with an HTTP service: by hand
# and by kpipe; what is added, changed and deleted there, and no answer.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=readme.sh
. "${0%/*}/readme.sh"
cluster_start
mkdir "$T/work" "$T/www"
readme_blocks "" doc/filters.md
is "$(readme_unnamed doc/filters.md)" "" "the page says the name of each file"

# serve JSON: what the service answers from now on
serve() {
	echo "$1" >"$T/www/new"
	mv "$T/www/new" "$T/www/now"
}
serve '[{"name":"oslo","celsius":3}]'
start python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$T/www" \
	>"$T/http.log" 2>&1
wait_for 30 grep -q ' port ' "$T/http.log"
STATIONS_URL=http://127.0.0.1:$(sed -n '1s/.* port \([0-9]*\).*/\1/p' \
	"$T/http.log")/now
export STATIONS_URL STATIONS_SECONDS=1

kubectl apply -f - >/dev/null <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: heaters.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: heaters, singular: heater, kind: Heater, listKind: HeaterList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {station: {type: string}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
END
wait_for 60 kubectl get heaters
heater='{"apiVersion":"example.com/v1","kind":"Heater","metadata":{"name":"h","namespace":"default"},"spec":{"station":"oslo"}}'
kubectl apply -f - <<<"$heater" >/dev/null

for block in "$T/blocks"/???; do
	readme_type "$block"
	[ "$(<"$block.what")" != "file: stations" ] ||
		chmod +x "$T/work/stations"
done
is "$(cat "$T/blocks"/*.what | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
	" 1 file: heater.jq; 1 file: stations; 1 file: watches.yaml; 1 prints; 1 run;" \
	"these are the examples of the page"

runs 0 "a dry run" kpipe -f "$T/work/watches.yaml" --dry-run
is "$(jq -r '.metadata.name + " " + .result' "$T/out" | sort)" "h configured
h-heating created" "... has what the service says"

# heats TEXT: whether that is what the Heater says and does
heats() {
	[ "$(kubectl get heater h -o json | jq -r '.status.phase'; \
		kubectl get configmap h-heating -o json | jq -r '.data.on')" = "$1" ]
}
start kpipe -f "$T/work/watches.yaml" 2>"$T/log"
kpipe=$!
ok "kpipe: an object that was added" wait_for 60 heats "Measured
true"
serve '[{"name":"oslo","celsius":20},{"name":"rome","celsius":30}]'
ok "... that was modified" wait_for 60 heats "Measured
false"
# asked N: the service was asked so often without an answer
asked() {
	[ "$(grep -c '"GET /now.* 404 ' "$T/http.log")" -ge "$1" ]
}
mv "$T/www/now" "$T/www/gone"
ok "... no answer" wait_for 60 asked 2
ok "... changes nothing" heats "Measured
false"
serve '[{"name":"rome","celsius":30}]'
none() {
	heats NoStation && ! kubectl get configmap h-heating
}
ok "... that was deleted" wait_for 60 none 2>/dev/null
told_to_end "$kpipe" "... ends"
ok "... what the filter says is in the log" \
	grep -q '^curl: .*404' "$T/log"
is "$(grep -E '^k.*(did not end|error:)' "$T/log")" "" "... and nothing went wrong"

# The end of the made-up kind waits for the first answer.
rm "$T/www/now"
runs 1 "a dry run without an answer: 1" kpipe -f "$T/work/watches.yaml" --dry-run
is "$(<"$T/out")" "" "... decides nothing"
is "$(grep '^ireconcile: ' "$T/err")" "ireconcile: error: the input ends before it is complete: Station.weather.example.com" "... and says which kind is missing"
# "A bookmark that is not passed on leaves its kind incomplete."
sed -e '/^  - \[.\/stations/d' -e 's/^  filters:/& [[grep, -v, BOOKMARK]]/' \
	"$T/work/watches.yaml" >"$T/work/none.yaml"
runs 1 "a dry run with a filter that drops bookmarks: 1" \
	kpipe -f "$T/work/none.yaml" --dry-run
is "$(<"$T/out")" "" "... and nothing is decided"
is "$(grep -c 'ireconcile: error: the input ends before it is complete' \
	"$T/err")" 1 "... it says why"
done_testing
