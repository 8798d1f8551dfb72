#!/bin/bash
# README.md and doc/: what they point to exists.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

for page in README.md doc/*.md pipeline/*/*.md t/cluster/README.md; do
	[ -f "$page" ] || continue
	grep -o ']([^)#]*' "$page" | cut -c 3- |
		grep -v '^https\{0,1\}:' | sort -u >"$T/links"
	: >"$T/missing"
	while read -r link; do
		[ -e "${page%/*}/$link" ] || [ -e "$link" ] ||
			echo "$link" >>"$T/missing"
	done <"$T/links"
	is "$(<"$T/missing")" "" "the links of $page lead somewhere"
done

# `path/of/something` in backquotes
for page in README.md doc/reading-order.md doc/tools.md pipeline/*/moving.md; do
	# t/NNNN-topic.sh is a pattern
	is "$(grep -oE '`(lib|cmd|t|doc|pipeline)/[A-Za-z0-9_./-]*`' "$page" |
		tr -d '`' | grep -v NNNN | sort -u | while read -r path; do
		[ -e "$path" ] || echo "$path"
	done)" "" "the files that $page names are there"
done

for tool in cmd/*/main.c; do
	tool=${tool#cmd/}
	ok "README.md names ${tool%/*}" grep -q "\*\*${tool%/*}\*\*\|\`${tool%/*}\`" \
		README.md
done

grep -o '`make [a-z-]*`\|^    make [a-z][a-z-]*' README.md |
	sed 's/.*make *//; s/`//' | grep . | sort -u >"$T/targets"
while read -r target; do
	ok "make $target is there" \
		grep -q "^$target:\|^  \"$target:" Makefile lib/jq/gen/new.jq
done <"$T/targets"

done_testing
