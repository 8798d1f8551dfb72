#!/bin/bash
# ireconcile: random(SEED; LENGTH), a text that only the holder of the key can
# compute, always the same for a primary and a seed; and random_for(NAME; SEED;
# LENGTH), the same for each primary of that kind and namespace.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

entry() { # [KEY]
	watches "${1-}" 'dependents: [{apiVersion: v1, kind: Secret, manage: true}]'
}
echo 0123456789abcdef0123456789abcdef >"$T/key"
echo fedcba9876543210fedcba9876543210 >"$T/other"
# the result of the expression, for a Thing NAME with these METADATA
value() { # EXPRESSION [NAME] [METADATA] [KEYS]
	local keys=${4-$T/key}

	printf 'include "operator"; def desired: []; def status: {r: (%s)};\n' \
		"$1" >"$T/program.jq"
	thing "${2:-a}" 1 "${3-}" >"$T/in"
	if [ -n "$keys" ]; then
		ireconcile -f "$T/watches.yaml" --marks-key-fd=9 9<"$keys"
	else
		ireconcile -f "$T/watches.yaml"
	fi <"$T/in" 2>"$T/err" | jq -c .reconcile.status.r
	sed 's/^ireconcile: error: //' "$T/err"
}
# expected PRIMARY ORIGIN SEED LENGTH: as randomtext.h and proof.c define it
expected() {
	python3 -c '
import hashlib, hmac, string, sys
primary, origin, seed, length = sys.argv[1:]
def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
key = mac(b"0123456789abcdef0123456789abcdef", "kpipe.dev/random v1 "
    + "".join("%d:%s" % (len(s), s) for s in (primary, origin)))
letters = string.ascii_uppercase + string.ascii_lowercase + string.digits
text, n = "", 0
while len(text) < int(length):
    text += "".join(letters[c % 62]
        for c in mac(key, "%d:%s" % (n, seed)) if c < 248)
    n += 1
print("\"%s\"" % text[:int(length)])' "$@"
}

entry 'random: true'
is "$(value 'random("admin"; 22)')" \
	"$(expected Thing.example.com/ns/a uid-a admin 22)" "a text of 22 characters"
is "$(value 'random("admin"; 300)')" \
	"$(expected Thing.example.com/ns/a uid-a admin 300)" "a long one"
is "$(value 'random("root"; 1)' b)" \
	"$(expected Thing.example.com/ns/b uid-b root 1)" \
	"another primary and seed"
is "$(value 'random("admin"; 22)' a \
	'"annotations":{"kpipe.dev/origin":"uid-0"}')" \
	"$(expected Thing.example.com/ns/a uid-0 admin 22)" \
	"a primary that was restored: by its origin"
is "$(value '[random("a"; 22), random("b"; 22)] | unique | length')" 2 \
	"two seeds, two texts"
is "$(value 'random("a"; 5) as $a | random("a"; 22) | startswith($a)')" true \
	"a shorter text is the beginning of a longer one"
ok "another key, another text" test "$(value 'random("admin"; 22)')" \
	!= "$(value 'random("admin"; 22)' a '' "$T/other")"
is "$(value '[random("x"; 1024) | explode[]] | unique | length')" 62 \
	"all letters and digits occur"
for bad in '"a"; 0' '"a"; 1025' '"a"; 1.5' '"a"; "1"' '1; 1' 'null; 1'; do
	is "$(value "try random($bad) catch .")" \
		'"random takes a text and a length from 1 to 1024"' "($bad)"
done

# by_name KIND NAMESPACE NAME SEED LENGTH: as natives_random_for has it
by_name() {
	python3 -c '
import hashlib, hmac, string, sys
kind, namespace, name, seed, length = sys.argv[1:]
def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
key = mac(b"0123456789abcdef0123456789abcdef", "kpipe.dev/random-for v1 "
    + "".join("%d:%s" % (len(s), s) for s in (kind, namespace)))
key = mac(key, name)
letters = string.ascii_uppercase + string.ascii_lowercase + string.digits
text, n = "", 0
while len(text) < int(length):
    text += "".join(letters[c % 62]
        for c in mac(key, "%d:%s" % (n, seed)) if c < 248)
    n += 1
print("\"%s\"" % text[:int(length)])' "$@"
}
named='random_for("db"; "admin"; 22)'
same_text=$(by_name Thing.example.com ns db admin 22)
is "$(value "$named")" "$same_text" "random_for: a text by a name"
is "$(value "$named" b)" "$same_text" "... the same for another primary"
is "$(value "$named" a '"annotations":{"kpipe.dev/origin":"uid-0"}')" \
	"$same_text" "... and for a restored one"
is "$(where=other value "$named")" \
	"$(by_name Thing.example.com other db admin 22)" \
	"... in another namespace another one"
is "$(value '[random_for("db", "da"; "admin", "root"; 22), random("admin"; 22)]
	| unique | length')" 5 "another name or seed, another text"
is "$(value 'random_for("x"; "a"; 1024)' | wc -c)" 1027 "a long one"
ok "another key, another text" test "$(value "$named")" \
	!= "$(value "$named" a '' "$T/other")"
for bad in '""; "a"; 1' 'null; "a"; 1' '1; "a"; 1' '"a"; null; 1' \
	'"a"; "a"; 0' '"a"; "a"; 1025'; do
	is "$(value "try random_for($bad) catch .")" \
		'"random_for takes a name, a text and a length from 1 to 1024"' \
		"($bad)"
done
is "$(value "try $named catch ." a "" "" | cut -c 1-24)" \
	'"random_for needs a key:' "without a key: what to do"

is "$(value 'try random("a"; 1) catch .' a "" "")" \
	'"random needs a key: kpipe has one; by hand give ireconcile a file with a line of at least 32 characters, --marks-key-fd=9 9<FILE"' \
	"without a key: what to do"
is "$(value 'random("a"; 1)' a "" "" | tail -n 1 | sed 's/jq:[0-9]*: random/jq: random/')" \
	'thing.example.com ns/a: program.jq:1: status: random needs a key: kpipe has one; by hand give ireconcile a file with a line of at least 32 characters, --marks-key-fd=9 9<FILE (operator.jq: random)' \
	"... in full where it is not caught"
entry
is "$(value 'try random("a"; 1) catch .')" \
	'"random needs random: true in the entry of watches.yaml"' \
	"without random: true: what to do"
is "$(value "try $named catch .")" \
	'"random_for needs random: true in the entry of watches.yaml"' \
	"... for random_for, too"

# ---- the example ----

sed -n '/^```jq random$/,/^```$/{/^```/!p}' doc/program.md >"$T/program.jq"
entry 'random: true'
example() { # KEYS
	ireconcile -f "$T/watches.yaml" --clock=input --marks-key-fd=9 9<"$1" \
		<"$T/in" 2>"$T/err" >"$T/out"
	cat "$T/err"
}
given thing a 1 "" '"spec":{"version":3}'
and end_all
is "$(example "$T/key")" "" "the example of doc/program.md"
is "$(jq -r '.items[0].data.password | @base64d | tojson' "$T/out")" \
	"$(expected Thing.example.com/ns/a uid-a admin 22)" "... has a password"
is "$(jq -r '.items[0].metadata.name' "$T/out")" \
	"a-$(printf a/v3 | sha256sum | cut -c 1-10)" "... and a name"
jq -c '.items[0] | .metadata += {uid: "s", resourceVersion: "2"}' "$T/out" \
	>"$T/secret"
given thing a 1 "" '"spec":{"version":3}'
and cat "$T/secret"
and end_all
is "$(example "$T/key"; jq -c '.items[]' "$T/out")" "" "... which agrees"
is "$(example "$T/other"; jq -c '.items[]' "$T/out")" "" \
	"... and stays as it is under another key"

# ---- a replay needs no key ----

entry 'random: true'
echo 'include "operator"; def desired: []; def status: {r: random_for("db"; "a"; 5)};' \
	>"$T/program.jq"
thing a 1 >"$T/in"
replayed() {
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" |
		jq -c .reconcile.status.r
}
is "$(replayed | wc -c)" 8 "random_for in a replay, without a key"
is "$(replayed)" "$(replayed)" "... is always the same"
done_testing
