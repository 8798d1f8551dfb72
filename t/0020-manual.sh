#!/bin/bash
# Each tool has a page, and the page has the options that --help has.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# Both print one line per option: "-f, --filename=WATCHES".
options_of_help() {
	sed -n '/^Options:/,$s/^ *\(-[^ ]*, \)\{0,1\}\(--[^ ]*\).*/\1\2/p' "$1"
}
options_of_page() {
	mandoc -T ascii -O width=100 "$1" | col -b | expand |
		sed -n 's/^ \{5\}\(-[^ ]*, \)\{0,1\}\(--[^ ]*\).*/\1\2/p'
}

command -v mandoc >/dev/null || skip_all "there is no mandoc"

for main in cmd/*/main.c; do
	tool=${main#cmd/}
	tool=${tool%/main.c}
	page=cmd/$tool/$tool.1
	runs 0 "$tool --help" "$tool" --help
	options_of_help "$T/out" | sort >"$T/help"
	ok "... lists options" test -s "$T/help"
	is "$(head -n 1 "$T/out" | cut -c -$((8 + ${#tool})))" \
		"Usage: $tool " "... and says how to use it"
	is "$(awk 'length > 80' "$T/out")" "" "... within 80 columns"
	runs 0 "$tool --version" "$tool" --version
	is "$(sed '1s/ [0-9]*\.[0-9]*\.[0-9]*$/ N/; q' "$T/out")" "$tool N" \
		"... is name and number"
	runs 111 "$tool --help with a full disk" \
		sh -c "$tool --help >/dev/full"
	runs 100 "$tool --no-such-option" "$tool" --no-such-option
	is "$(<"$T/err")" \
		"$tool: fatal: unknown option --no-such-option (see --help)" \
		"... says so"
	ok "$page is there" test -f "$page"
	[ -f "$page" ] || continue
	runs 0 "... and correct mdoc" mandoc -T lint -W warning "$page"
	options_of_page "$page" | sort >"$T/page"
	same "$T/page" "$T/help" "... with the options of --help"
	# sourcing prints nothing and defines the rules
	"$tool" --completion >"$T/completion"
	runs 0 "$tool --completion is bash" bash -n "$T/completion"
	words() {
		bash -c '. "$1"; COMP_WORDS=("$2" "$3"); COMP_CWORD=1
			_"$2" 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"' \
			- "$T/completion" "$tool" "$1"
	}
	is "$(words --log-f)" "--log-format=" "... which completes an option"
	is "$(words --compl)" "--completion" "... and one that may stand alone"
	"$tool" --completion=bash >"$T/bash"
	same "$T/bash" "$T/completion" "... as --completion=bash"
	runs 100 "$tool --completion=csh" "$tool" --completion=csh
	is "$(<"$T/err")" \
		"$tool: fatal: option --completion needs one of bash|zsh|fish, not \"csh\"" \
		"... says so"
done

done_testing
