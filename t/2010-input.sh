#!/bin/bash
# ireconcile: completeness of kinds, input that is cut short, bad input.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program

# A kind without bookmarks is complete at the end of the input.
thing a 1 "" "$(spec 1 v)" >"$T/in"
creates a 1 >"$T/want"
replay 0 "a bare object"

{
	printf '{"apiVersion":"v1","kind":"List","items":[\n'
	thing a 1 "" "$(spec 1 v)" | sed 's/,/,\n  /g'
	echo ,
	observed a-0 a v 7
	printf ']}'
} >"$T/in"
line "" a 1 "$(status false)" >"$T/want"
replay 0 "a pretty List, as kubectl get -o json prints it"

# Begun and not ended: nothing is printed for primaries that need the kind.
given begin v1 Pod
and thing a 1 "" "$(spec 1 v)"
silent 1 "a kind whose initial state is cut short"
says "ireconcile: error: the input ends before it is complete: Pod" \
	"... is named"

# Begun again: objects that do not come again are gone.
given begin v1 ConfigMap
and event ADDED "$(thing a 1 "" "$(spec 1 v),$(status false)")"
and event ADDED "$(observed a-0 a v 7)"
and end v1 ConfigMap
and begin v1 ConfigMap
and end v1 ConfigMap
creates a 1 >"$T/want"
replay 0 "two recordings in one file"

# Bad lines are reported, the rest is processed.
{
	event ADDED "$(thing a 1 "" "$(spec 1 v)")"
	echo '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata"'
	echo 'no JSON at all'
	printf '{"type":"ADDED","object":{"kind":"Pod","x":"\377"}}\n'
	printf '{"kind":"Pod"\0}\n'
	event WHATEVER "$(object Pod p 1)"
	event ADDED '{"apiVersion":"v1","metadata":{"name":"x"}}'
	event ADDED '{"kind":"Pod","metadata":{"name":"x"}}'
	event ADDED '{"apiVersion":"v1","kind":"Pod","metadata":{}}'
	echo '{"type":"ADDED"}'
	echo '{"type":"ERROR","object":{"apiVersion":"v1","kind":"Status","reason":"Expired","message":"old"}}'
	echo '[1]'
	printf '%0.s[' {1..10000}
	echo
	printf '{"kind":"Pod","x":"'
	head -c 17000000 /dev/zero | tr '\0' x
	echo '"}'
	printf '{"apiVersion":"v1","kind":"Pod","x":'
	printf '%0.s[' {1..10000}
	printf '%0.s]' {1..10000}
	echo '}'
	event ADDED "$(object Other o 1)"
	event ADDED "$(thing b 2 "" "$(spec 1 v)")"
	printf '{"type":"ADDED","object":{"apiVersion":"v1"'
} >"$T/in"
want creates a 1
also creates b 2
replay 1 "bad lines between good ones"
cat >"$T/want.err" <<'END'
ireconcile: error: line 2: text is cut short at byte 68
ireconcile: error: line 3: unexpected byte at byte 2
ireconcile: error: line 4: invalid UTF-8 at byte 45
ireconcile: error: line 5: NUL byte at byte 14
ireconcile: error: line 6: unknown event type "WHATEVER"
ireconcile: error: line 7: an object without kind
ireconcile: error: line 8: an object without apiVersion
ireconcile: error: line 9: a Pod without a name, or with a NUL in it
ireconcile: error: line 10: an event without object
ireconcile: error: line 11: an error event: "Expired"
ireconcile: error: line 12: not an object
ireconcile: error: line 13: nested deeper than 256 levels at byte 257
ireconcile: error: line 14: longer than 16 MiB
ireconcile: error: line 15: nested deeper than 256 levels at byte 292
ireconcile: error: line 18: text is cut short at byte 44
END
same "$T/err" "$T/want.err" "... each is named by its number"

: >"$T/in"
silent 0 "no input"

# Where it looks for the program, and why it refuses to start.
runs 100 "without -f" ireconcile
says "ireconcile: fatal: -f WATCHES is missing" "... message"
runs 100 "a watches file that is not there" ireconcile -f "$T/none.yaml"
says "ireconcile: fatal: cannot read $T/none.yaml: No such file or directory" \
	"... message"
runs 100 "an operand" ireconcile -f "$T/watches.yaml" x
says "ireconcile: fatal: unexpected argument \"x\"" "... message"
sed 's/program.jq/broken.jq/' "$T/watches.yaml" >"$T/broken.yaml"
# broken PROGRAM MESSAGE
broken() {
	printf '%s\n' "$1" >"$T/broken.jq"
	runs 100 "a program that does not compile: $2" \
		ireconcile -f "$T/broken.yaml"
	is "$(<"$T/err")" "ireconcile: fatal: $T/broken.jq$2" "... message"
}
broken 'def desired: [' ":1: a bracket is not closed"
broken $'# text\ndef desired:\n\t[foo];' ":3: foo/0 is not defined"
broken $'def desired: [\n\t{a: }];' ':2: syntax error: unexpected `}`'
broken 'include "none"; def desired: [];' ":1: cannot find the library none.jq"
broken 'def status: {};' ': does not define `desired`'

# Namespaces: a primary in another one is not ours.
sed 's/  dependents:/  namespaces: [other, third]\n&/' "$T/watches.yaml" \
	>"$T/other.yaml"
thing a 1 "" "$(spec 1 v)" >"$T/in"
runs 0 "a primary in a namespace that is not watched" \
	ireconcile -f "$T/other.yaml" <"$T/in"
is "$(<"$T/out")" "" "... is ignored"
is "$(sed 's/.*ireconcile: //' "$T/err")" \
	"thing.example.com ns/a: not served, as any other one outside of the namespaces [other, third]" \
	"... which the log says"
runs 100 "-A does not widen namespaces" \
	ireconcile -A -f "$T/other.yaml" <"$T/in"
runs 100 "-n neither" ireconcile -n ns -f "$T/other.yaml" <"$T/in"
runs 0 "without the key -n goes" ireconcile -n ns -f "$T/watches.yaml" <"$T/in"
is "$(wc -l <"$T/out")" 1 "... one line"
runs 0 "-n: another namespace" ireconcile -n x -f "$T/watches.yaml" <"$T/in"
is "$(wc -l <"$T/out")" 0 "... no line"


event ADDED "$(thing a 1 "" "$(spec 1 v)")" | sed 's/"ADDED"/5/' >"$T/in"
silent 1 "an event whose type is not text"
says "ireconcile: error: line 1: an event whose type is not text" "... message"

done_testing
