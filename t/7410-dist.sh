#!/bin/bash
# The tarball of `make dist`: the same bytes each time, it knows its commit, and
# it builds and passes tests without git.
# check-all: packages
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

git rev-parse -q --verify HEAD >/dev/null 2>&1 || skip_all "no git here"
name=kpipe-$(make -s version)
commit=$(git rev-parse HEAD)

runs 0 "make dist" make -s dist DIST="$T/1.tar.gz"
runs 0 "... again, with another umask and time zone" \
	bash -c "umask 077; TZ=Asia/Tokyo make -s dist DIST='$T/2.tar.gz'"
same "$T/1.tar.gz" "$T/2.tar.gz" "... gives the same bytes"
is "$(gzip -dc "$T/1.tar.gz" | git get-tar-commit-id)" "$commit" \
	"git finds its commit"
tar -xf "$T/1.tar.gz" -C "$T"
is "$(cd "$T" && ls -d kpipe-*)" "$name" "one folder, with the version"
is "$(cd "$T/$name" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort)" \
	"$(git ls-tree -r --name-only HEAD | LC_ALL=C sort)" \
	"it has what git has, and nothing else"

cd "$T/$name" || exit 1
unset BIN
PATH=${PATH#*:} # bin/ of the tree
runs 0 "it builds, and make check runs there" \
	env GIT_CEILING_DIRECTORIES="$T" nice make check T=0010 CFLAGS=-O0
[ "$failed" -eq 0 ] || grep -vE '^(cc|ar|mkdir) ' "$T/out" | cat - "$T/err" | tail -n 30 | quote
ok "... the test passed" grep -q '^Result: PASS' "$T/out"
is "$(bin/kpipe --version | sed -n 2p)" "commit $commit" \
	"the tools name the commit"
runs 0 "make install" make -s install DESTDIR="$T/root" PREFIX=/usr CFLAGS=-O0
is "$("$T/root/usr/bin/kpipe" --version | sed -n 2p)" "commit $commit" \
	"... those that are installed, too"
done_testing
