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
# What a script sources is read each time, which takes ten times as long as the
# script itself. So a library is read once; in a copy of the others what stands
# for it are the variables that it sets, and those that it uses.
name='[A-Za-z_][A-Za-z0-9_]*'
declared() {
	grep -E '^[[:space:]]*(# shellcheck source=|\. )' "$1"
	grep -vE '^[[:space:]]*#' "$1" >"$T/code"
	{
		grep -oE "\b$name\+?=" "$T/code"
		sed -nE 's/.*\b(read|mapfile)( -[^ ]+)* (('"$name"' ?)+).*/\3/p' "$T/code"
	} | grep -oE "$name" | sort -u | sed 's/$/=/' | paste -sd ' '
	grep -oE "\\$\{?[#!]?$name|\b[A-Z][A-Z0-9_]+\b" "$T/code" |
		grep -oE "$name" | sort -u |
		sed 's/.*/"$&"/; 1s/^/: /' | paste -sd ' '
}
printf '%s\n' "${scripts[@]}" | sort >"$T/scripts"
sed -nE 's/^[[:space:]]*(# shellcheck source=|\. "\$[^ ]*\}\/)([^ "]+)"?$/\2/p' \
	"${scripts[@]}" | sort -u | sed 's|^\(\.\./\)*||' | grep -v '^/' >"$T/sourced"
grep -E "(^|/)($(paste -sd '|' "$T/sourced"))\$" "$T/scripts" |
	grep -v '^t/[0-9]' >"$T/libraries"
mkdir "$T/tree"
cp --parents .shellcheckrc "${scripts[@]}" "$T/tree"
while read -r library; do
	{
		echo '# shellcheck shell=bash'
		declared "$library"
	} >"$T/tree/$library"
done <"$T/libraries"
each=(xargs -d '\n' -n 8 -P 2 shellcheck -S warning)
libraries_checked() {
	"${each[@]}" <"$T/libraries"
}
others_checked() {
	comm -23 "$T/scripts" "$T/libraries" | (cd "$T/tree" && "${each[@]}")
}
ok "shell scripts are clean: those that others source" libraries_checked
ok "... and the others" others_checked
(cd "$T" && kgen new web --group example.com --kind Web) >"$T/out"
ok "... and the one that kgen new makes" shellcheck "$T/web/t/run"
ok "man pages are clean" mandoc -T lint -W warning cmd/*/*.1
done_testing
