#!/bin/bash
# Filters that misbehave: lines that are torn, too long, not JSON or too many are
# left out, each by its number, and the rest counts; a filter that dies again and
# again, closes its output, or does not listen to signals holds nothing up.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
BESIDE=""
# shellcheck source=kpipe.sh
. "${0%/*}/kpipe.sh"

# ---- lines ----

mkdir "$T/lines" "$T/folder"
cat >"$T/lines/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]
  related:
  - {apiVersion: x.example.com/v1, kind: Station, optional: true, map: {field: "spec.stations[]"}}
END
cat >"$T/lines/program.jq" <<'END'
include "operator";
def desired: [config_map("c"; {}; {stations: ([.related.Station[]
	| "\(.metadata.name)\(.n)"] | join(" "))})];
END
# station NAME N [TEXT]
station() {
	printf '{"type":"ADDED","object":{"apiVersion":"x.example.com/v1","kind":"Station","metadata":{"name":"%s","namespace":"ns"},"n":%s,"text":"%s"}}\n' \
		"$1" "$2" "${3-}"
}
# heard LINES WHAT STATIONS ERRORS: ireconcile gets a Thing, LINES, Station z, and
# the end of the first state
heard() {
	{
		echo '{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"1","generation":1},"spec":{"stations":["s","t","z"]}}}'
		cat "$1"
		station z 1
		for kind in "example.com/v1 Thing" "v1 ConfigMap" "x.example.com/v1 Station"; do
			# shellcheck disable=SC2086 # two words
			printf '{"type":"BOOKMARK","object":{"apiVersion":"%s","kind":"%s","metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}\n' $kind
		done
	} | ireconcile -f "$T/lines/watches.yaml" 2>"$T/err" |
		tail -n 1 | jq -r '.items[0].data.stations' >"$T/out"
	is "$(<"$T/out")" "$3" "$2: the rest counts"
	is "$(sed 's/^ireconcile: error: //' "$T/err")" "$4" "... and it is named"
}
: >"$T/l"
heard "$T/l" "nothing wrong" "z1" ""
{ station s 1 | head -c 50; station t 1; station t 2; } >"$T/l"
heard "$T/l" "half a line, and another one in it" "t2 z1" \
	"line 2: $(ireconcile -f "$T/lines/watches.yaml" <"$T/l" 2>&1 >/dev/null |
		sed -n 's/^ireconcile: error: line 1: //p')"
{ station s 1; echo '{"type":'; echo no JSON; printf 'a\0b\n\xff\xfe\n'; } >"$T/l"
heard "$T/l" "what is not JSON" "s1 z1" "line 3: text is cut short at byte 9
line 4: unexpected byte at byte 2
line 5: not JSON: unexpected byte at byte 1
line 6: not JSON: unexpected byte at byte 1"
{ station s 1; head -c 17825792 /dev/zero | tr '\0' x >"$T/long"
	printf '{"type":"ADDED","object":{"apiVersion":"x.example.com/v1","kind":"Station","metadata":{"name":"t","namespace":"ns"},"text":"'
	cat "$T/long"
	echo '"}}'; } >"$T/l"
heard "$T/l" "a line of 17 MiB" "s1 z1" "line 3: longer than 16 MiB"
for ((n = 1; n <= 50000; n++)); do
	echo "{\"type\":\"MODIFIED\",\"object\":{\"apiVersion\":\"x.example.com/v1\",\"kind\":\"Station\",\"metadata\":{\"name\":\"s\",\"namespace\":\"ns\"},\"n\":$n}}"
done >"$T/l"
heard "$T/l" "50000 lines of one object" "s50000 z1" ""

# ---- the process ----

echo 'def desired: []; def status: {};' >"$T/folder/program.jq"
# fresh_with COMMAND: new stages, and this filter of bash
fresh_with() {
	fresh
	cat >"$T/folder/filter" <<-END
		#!/bin/bash
		echo "filter \$\$ start" >>"$D/log"
		$1
	END
	chmod +x "$T/folder/filter"
	printf '%s\n' "- group: example.com" "  version: v1" "  kind: Thing" \
		"  program: program.jq" "  filters: [[./filter]]" \
		>"$T/folder/watches.yaml"
}
begin_filter() {
	start kpipe -f "$T/folder/watches.yaml" --report-fd=9 \
		9>"$D/ready" >"$D/stdout" 2>"$D/stderr"
	kpipe=$!
}

fresh_with "exit 1"
begin_filter
ok "a filter that dies at once is started again and again" \
	wait_for 60 starts_of filter 4 || done_testing
is "$(said | grep -o 'starting the pipeline again.*' | head -n 3)" \
	"starting the pipeline again
starting the pipeline again in N s
starting the pipeline again in N s" "... at once, and then later and later"
is "$(said | grep error | sort -u)" \
	"kpipe: error: filter-1 (pid N) ended with exit code 1" "... it is named"
stops "... and kpipe ends when it is told to"
ok "... nothing is left" none_left

fresh_with "exec >&-; exec sleep 1000"
begin_filter
ok "a filter that closes its output: all start again" \
	wait_for 60 starts_of filter 2 || done_testing
is "$(said | grep error | sort -u)" \
	"kpipe: error: ireconcile ended with exit code 0 without being told to: filter-1 closed its output" \
	"... it is named"
stops
ok "... nothing is left" none_left

fresh_with "trap '' TERM INT HUP; while :; do sleep 1000; done"
begin_filter
wait_for 60 starts_of filter 1 || done_testing
stops "a filter that neither reads nor listens: kpipe ends"
is "$(said | sed -n '/did not end/p' | grep -c filter-1)" 1 "... it is killed, by name"
ok "... nothing is left" none_left
done_testing
