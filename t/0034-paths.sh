#!/bin/bash
# Every file that a page, a comment or a manual page names exists.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# paths FILE...: the paths that they name in folders of the project, as
# FILE:PATH; without placeholders (NNNN, NAME, <tool>, a wildcard) and paths in the Go
# sources and the guides of other operators.
paths() {
	grep -oHP '(?<![\w/])(cmd|lib|pipeline|doc|deploy|t)/[A-Za-z0-9_<*{$][A-Za-z0-9_./<>*{}$,@-]*' \
		"$@" | grep -vE '[<>*{}$]|NNNN|/NAME([./]|$)|:cmd/apply/|moving.md:deploy/' | sed 's/[.,]*$//' | sort -u
}

# headers FILE...: the headers that comments name without a folder.
headers() {
	grep -oHE '(^|[ (])[a-z_0-9]+\.h\b' "$@" | sed 's/:[ (]*/:/' | sort -u
}

# absent: the lines FILE:PATH whose PATH exists neither in the root nor in
# FILE's folder.
absent() {
	local file path

	while IFS=: read -r file path; do
		compgen -G "$path" >/dev/null || [ -e "${file%/*}/$path" ] ||
			compgen -G "pipeline/*/$path" >/dev/null ||
			echo "$file: $path"
	done
}

mapfile -t texts < <(git ls-files '*.md' '*README' 'lib/*.[ch]' 'cmd/*.[ch]' '*.1')
is "$(paths "${texts[@]}" | absent)" "" "every path that is named is there"

git ls-files '*.h' | sed 's,.*/,,' >"$T/there"
printf '%s\n' config.h jq.h >>"$T/there"
mapfile -t sources < <(git ls-files 'lib/*.[ch]' 'cmd/*.[ch]' 't/unit/*.[ch]')
is "$(grep -h '^#include <' "${sources[@]}" | sed 's,.*<\(.*/\)*\(.*\)>.*,\2,' |
	sort -u >>"$T/there"
	headers "${sources[@]}" | while IFS=: read -r file header; do
		grep -qxF "$header" "$T/there" || echo "$file: $header"
	done)" "" "every header that a comment names is there"

mkdir -p "$T/x"
echo 'see lib/base/no_such.h, and t/lib.sh.' >"$T/x/page.md"
is "$(paths "$T/x/page.md" | absent)" "$T/x/page.md: lib/base/no_such.h" \
	"one that is not would be found"
done_testing
