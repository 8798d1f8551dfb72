#!/bin/bash
# The source: formatted, short, and clean for the shell and man linters.
# check-all: linters
. "${0%/*}/lib.sh"

ok "C is formatted as .clang-format says" make --no-print-directory style

mapfile -t scripts < <(git ls-files -co --exclude-standard 2>/dev/null |
	while read -r file; do
		[ -f "$file" ] || continue
		case $file in
		*.sh) echo "$file" ;;
		*) ! head -n 1 "$file" | grep -aq '^#!/bin/.*sh$' || echo "$file" ;;
		esac
	done)
note "${#scripts[@]} scripts"
# Running shellcheck is much slower with all files at once than with a few at a time.
checked() {
	printf '%s\0' "${scripts[@]}" | xargs -0 -n 8 -P 2 shellcheck -S warning
}
ok "shell scripts are clean" checked
(cd "$T" && kgen new web --group example.com --kind Web) >"$T/out"
ok "... and the one that kgen new makes" shellcheck "$T/web/t/run"
ok "man pages are clean" mandoc -T lint -W warning cmd/*/*.1

# The shape of main that lib/process/opt.h asks for.
other=$(for main in cmd/*/main.c; do
	grep -q '^	code = opt_begin(&' "$main" &&
		tail -n 2 "$main" |
		grep -q '^	return code >= 0 ? code : opt_fatal(&' ||
		echo "$main"
done)
is "$other" "" "each main has the one shape"
is "$(find t -name '[0-9]*.sh' ! -perm -100)" "" "tests are executable"
long=$(find lib cmd -name '*.[ch]' -exec wc -l {} + |
	awk '$2 != "total" && $1 > 600')
is "$long" "" "no file has more than 600 lines"
done_testing
