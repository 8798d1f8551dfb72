#!/bin/bash
# Plain English: phrases that were translated word for word do not come back
# ("the object is no object", "each 5 s", "whoever asks"), and pages keep to
# 80 columns.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

shopt -s nullglob
pages=(README.md doc/*.md pipeline/README pipeline/*/README cmd/*/*.1)

# said FILE...: each file as one line, "FILE: TEXT", without the marks of
# comments and the quotes between the lines of a string.
said() {
	awk 'FNR == 1 {
			if (NR != 1) print ""
			printf "%s:", FILENAME
		}
		{
			sub(/^[ \t]*(\*|\/\/)?[ \t]*"?/, "")
			sub(/"?[ \t]*$/, "")
			gsub(/[ \t]+/, " ")
			printf " %s", $0
		}
		END { print "" }' "$@"
}

# foreign FILE...: such phrases, with some of what is around them. "There is
# no X" and "is no longer X" are English.
foreign() {
	local there='(?<!there |there can |there may |there could |there to )'
	local words=(
		"$there\\b(is|are|was|were|be) no (?!longer|more|matter|doubt)"
		"$there\\b(is|are|was|were|be) none\\b(?! of)"
		'\b(whoever|whomever|whom|whosoever)\b'
		'\b(he|him|his|himself)\b'
		'\beach [0-9.]+ ?(ms|s|min|h|seconds?|minutes?|hours?)\b'
		'\bcease[sd]? to\b'
	)
	local word

	said "$@" >"$T/said"
	for word in "${words[@]}"; do
		grep -oiP "^[^ ]*: |.{0,40}$word.{0,30}" "$T/said" |
			awk '/^[^ ]*: $/ { file = $0; next }
				{ print file "..." $0 "..." }'
	done
}

cat >"$T/bad" <<'END'
This is no page; each 5 s, whoever
 * asks him. It is"
	"none. It ceases to be.
END
is "$(foreign "$T/bad" | wc -l)" 6 "phrases that are not English are found"
cat >"$T/good" <<'END'
There is no page. It is no longer there; there are none, every 5 s. There
 * can be no other. It was none of those. What is it? There
 * is no answer.
END
is "$(foreign "$T/good")" "" "... and others are not"

is "$(foreign "${pages[@]}")" "" "pages are plain English"

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
