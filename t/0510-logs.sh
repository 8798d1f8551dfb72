#!/bin/bash
# Names of objects and answers of servers cannot forge log lines: a message is
# one line of visible characters, in both formats.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

# A newline and another tool's words, colours, CSI of C1, DEL, a line separator,
# a change of direction, an invisible character: as JSON writes them.
evil='x\nkapply: fatal: \u001b[31mALL GONE\u001b[0m\u009b1m\u007f\u2028\u202e\u200b'
shown='x kapply: fatal: \x1b[31mALL GONE\x1b[0m\u009b1m\x7f\u2028\u202e\u200b'

# unforged WHAT: $T/err has one line, which begins with its tool, and ASCII
unforged() {
	is "$(wc -l <"$T/err")" 1 "$1: one line"
	ok "... that can be seen" \
		sh -c '! LC_ALL=C grep -q "[^ -~]" "$1"' - "$T/err"
}

# --- an object's name from ireconcile, in which JSON escapes what it must
name=$evil$(printf '\x7f\u009b\u202e')
cat >"$T/watches.yaml" <<'END'
- {group: example.com, version: v1, kind: Thing, program: p.jq}
END
echo 'def desired: error("no");' >"$T/p.jq"
printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"ns","name":"%s","uid":"u"}}\n' \
	"$name" >"$T/in"
ireconcile -f "$T/watches.yaml" <"$T/in" >/dev/null 2>"$T/err"
unforged "a name in ireconcile's log"
ok "... as one word" grep -qF 'thing.example.com ns/x\nkapply:\x20fatal:\x20\x1b[31mALL\x20GONE' "$T/err"
ok "... whole" grep -qF '\u200b\x7f\u009b\u202e: no' "$T/err"
ireconcile -f "$T/watches.yaml" --log-format=json <"$T/in" >/dev/null 2>"$T/err"
unforged "... in JSON"
is "$(jq -c .name "$T/err")" "$(jq -c .metadata.name "$T/in")" \
	"... which says the same"

# --- a server's words
refusal=$(failure 403 Forbidden "$evil")
serve "{\"PATCH $THINGS/t\":[$refusal,$refusal]}"
echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"}}' >"$T/in"
runs 1 "a hostile answer" kapply --server "$url" -o result <"$T/in"
ok "... is made visible in the result" \
	sh -c 'jq -r .message "$1" | grep -qF "$2"' - "$T/out" "$shown"
runs 1 "a hostile answer, logged" kapply --server "$url" -o none <"$T/in"
unforged "a server's message"
ok "... with all that it says" grep -qF "$shown" "$T/err"

# --- what a tool is told on its command line
runs 100 "a hostile argument" kwatch --once "$(jq -rn "\"$evil\"")" \
	--server "$url"
unforged "an argument in the message that ends a tool"
runs 100 "bytes that are not UTF-8" kwatch --once --log-format=json \
	"$(printf 'a\xff\xc3')" --server "$url"
ok "... leave JSON what it is" jq -e '.msg | contains("a\ufffd\ufffd")' "$T/err"

done_testing
