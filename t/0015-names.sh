#!/bin/bash
# The names of tests: each number is used once; a test that is named anywhere
# exists; the lines at the head of a test are what the Makefile reads.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

is "$(printf '%s\n' t/[0-9]*.sh | cut -c 3-6 | uniq -d)" "" "each number is had once"

# Recordings are left out: anything in them may look like a test's name.
find . \( -name '.?*' -o -name 'bin' -o -name 'build*' -o -name '*.jsonl' \) \
	-prune -o -type f -print0 | xargs -0 grep -noIE '\b[0-9]{4}-[a-z][a-z0-9-]*\.sh\b' |
	tr : ' ' >"$T/mentions"
ok "tests are named" test "$(wc -l <"$T/mentions")" -gt 100
is "$(while read -r where line name; do
	[ -e "t/$name" ] || echo "$where:$line: no $name"
done <"$T/mentions")" "" "... and are there"

is "$(grep -lE '^(\. .*/(cluster/lib|iot|operator|rights|sets)\.sh)' t/[0-9]*.sh | sort)" \
	"$(grep -l '^# servers: ' t/[0-9]*.sh | grep -v -e t/6080- -e t/6300- -e t/9605- | sort)" \
	"who uses an API server says which"
is "$(grep -hE '^# (servers|check-all)' t/[0-9]*.sh |
	grep -vxE '# (servers: (kapi|real|kapi real(: [a-z ]+)?)|check-all: [a-zA-Z ]+)')" "" \
	"heads are as t/README.md says"
is "$(grep -lE '(^|\s)kapi_kubectl$' t/[0-9]*.sh | xargs grep -L '^# check-all: ')" \
	"" "make check needs no Go, thus not the kubectl of the control plane"
done_testing
