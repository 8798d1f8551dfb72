#!/bin/bash
# Plain English: phrases that were translated word for word do not come back
# ("the object is no object", "each 5 s", "whoever asks"), comments name a thing
# ("the parts of a line", not "What a line is made of"), and pages keep to 80
# columns.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

shopt -s nullglob
pages=(README.md HACKING.md t/README.md doc/*.md pipeline/README
	pipeline/*/README pipeline/*/*.md cmd/*/*.1)
mapfile -t sources < <(find lib cmd pipeline -name '*.[ch]' -o -name '*.jq' \
	-o -name '*.yaml' -o -name README | sort)
# Recordings, and texts that are sent or received, are not ours to word.
mapfile -t checks < <({
	printf '%s\n' t/*.sh t/README.md t/{demo,exec,foreign,install-packages}
	find t/unit t/fuzz t/stub t/bench t/helpers -name '*.[ch]'
	find t/attack t/bench t/cluster t/debian -name '*.sh' -o -name README
} | grep -v -e t/0905-english.sh | sort)

# said FILE...: each file as one line, "FILE: TEXT", without the marks of
# comments, text in backquotes and the quotes between the lines of a string.
said() {
	awk 'FNR == 1 {
			if (NR != 1) print ""
			printf "%s:", FILENAME
		}
		{
			sub(/^[ \t]*(\*|\/\/|#)?[ \t]*"?/, "")
			sub(/[ \t]*"?[ \t]*$/, "")
			gsub(/`[^`]*`/, "``")
			gsub(/[ \t]+/, " ")
			printf " %s", $0
		}
		END { print "" }' "$@"
}

# foreign FILE...: such phrases, and what is behind them. "There is no X" and
# "is no longer X" are English.
foreign() {
	local there='(?<!there |there can |there may |there could |there to )'
	local words=(
		"$there\\b(is|are|was|were|be) no (?!longer|more|matter|doubt|reason)"
		"$there\\b(is|are|was|were|be) (?-i:none)\\b(?! of)"
		'\b(whoever|whomever|whom|whosoever)\b'
		'(?<!-)\b(he|him|his|himself)\b'
		'\beach [0-9.]+ ?(ms|s|min|h|seconds?|minutes?|hours?)\b'
		'\bcease[sd]? to\b'
		"\\b(some|any|every|no)body's\\b"
		'\banew\b'
		'\bin vain\b'
		'\bit is said\b(?! that)'
		'(?-i:/\* What\b)(?![^.*]*\?)'
	)
	local all

	all=$(printf '|%s' "${words[@]}")
	said "$@" | grep -oiP "^[^ ]*: |(${all#|}).{0,40}" |
		awk '/^[^ ]*: $/ { file = $0; next }
			{ print file "\"" $0 "\"" }'
}

for bad in 'it is no page' 'those are none.' 'Whoever asks' 'as he has it' \
	'each 5 s' 'it never ceases to be' "it is nobody's" 'made anew' 'in vain' \
	'... and it is said.' $'it is\n * no page' \
	$'# it is\n# no page' $'"it is "\n\t"no page"' \
	'/* What a line is made of. */' $'int i; /* What\n * it is */' \
	$'/*\n * What is sent, goes.\n */'; do
	printf '%s\n' "$bad" >"$T/bad"
	is "$(foreign "$T/bad" | wc -l)" 1 "not English: ${bad//$'\n'/ }"
done
cat >"$T/good" <<'END'
There is no page. It is no longer there; there are none, every 5 s. There
 * can be no other. It was none of those. What is it? Each 5-tuple. There
 * is no answer. /* What is it? */ /* what it is */ /* Why. What it does, */
END
is "$(foreign "$T/good")" "" "... and others are not"

is "$(foreign "${pages[@]}")" "" "pages are plain English"
ok "there are sources" test "${#sources[@]}" -gt 500
is "$(foreign "${sources[@]}")" "" "... and so are messages and comments"
ok "there are tests" test "${#checks[@]}" -gt 200
is "$(foreign "${checks[@]}")" "" "... and tests"

# Tables, code and words that cannot be broken may be wider.
wide() {
	awk 'FNR == 1 { code = 0 }
		/^ *```/ { code = !code; next }
		!code && !/^(\||    |\t|<)/ { print FILENAME ":" FNR ": " $0 }
	' "$@" | LC_ALL=C.UTF-8 grep -P '^[^ ]* (?=.{81})[ *-]*\S+ \S'
}
{
	printf '%.0sword ' {1..17} && echo
	printf '    %.0sword ' {1..17} && echo
	printf '| %.0sword ' {1..17} && echo
} >"$T/wide"
is "$(wide "$T/wide" | wc -l)" 1 "a line that is too wide is found"
is "$(wide "${pages[@]}")" "" "pages keep to 80 columns"

done_testing
