#!/bin/bash
# --version: the number, which is in one place, the commit and the libraries.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

number=$(make -s version)
is "$(git grep -lE "(^|[^0-9.])${number//./\\.}([^0-9.]|$)" -- Makefile lib cmd \
	':!cmd/*.jsonl' ':!lib/jq/gen/new.jq' 2>/dev/null)" Makefile "the number is in the Makefile alone"

# libraries TOOL: the names of those that it lists, without the commit.
libraries() {
	"$1" --version | sed '1,2d; s/ .*//' | paste -sd' '
}
for main in cmd/*/main.c; do
	tool=${main#cmd/}
	tool=${tool%/main.c}
	"$tool" --version >"$T/out"
	is "$(head -n 1 "$T/out")" "$tool $number" "$tool says its number"
	ok "... and its commit" grep -qxE \
		'commit ([0-9a-f]{40}( dirty)?|unknown|test)' "$T/out"
	is "$(sed 1,2d "$T/out" | grep -vxE \
		'[A-Za-z_0-9]+ [0-9]+(\.[0-9]+)+( \((package [^ ()]+ )?when built\))?')" "" \
		"... and libraries with their versions"
	# Those that are linked, by their own account.
	is "$(libraries "$tool" | tr ' ' '\n' | sed 's/OpenSSL/libcrypto/
		s/PCRE2/libpcre2-8/; s/nghttp2/libnghttp2/
		s/^zstd/libzstd/; s/^http_parser/libhttp_parser/; s/^llhttp/libllhttp/' | sort)" \
		"$({
			ldd "$BIN/$tool" |
				sed -n 's/^\t\(lib[^ ]*\)\.so.*/\1/p'
			nm "$BIN/$tool" |
				sed -n 's/.* T curl_version_info/libcurl/p'
		} | sed 's/-[0-9].*//; s/^libpcre2$/libpcre2-8/' |
			grep -xE 'lib(curl|crypto|nghttp2|jq|yaml|seccomp|pcre2-8|zstd|http_parser|llhttp)' | sort -u)" \
		"... all of them, and no others"
done

### The commit

mkdir -p "$T/tree/lib"
cp -p lib/commit lib/.gitattributes "$T/tree/lib"
is "$(cd "$T/tree" && GIT_CEILING_DIRECTORIES=$T lib/commit)" unknown \
	"no git: unknown"
is "$(KPIPE_COMMIT=abc "$T/tree/lib/commit")" abc "... but told"
git_in_tree() {
	git -C "$T/tree" -c user.name=t -c user.email=t@example.com \
		-c init.defaultBranch=main "$@"
}
git_in_tree init -q
git_in_tree add .
git_in_tree commit -qm t
commit=$(git_in_tree rev-parse HEAD)
is "$("$T/tree/lib/commit")" "$commit" "a commit"
cp "$T/tree/lib/commit" "$T/copy" && cp "$T/copy" "$T/tree/lib/commit"
touch -d 2001-01-01 "$T/tree/lib/commit"
is "$("$T/tree/lib/commit")" "$commit" "... and a copy that is the same"
echo '# changed' >>"$T/tree/lib/commit"
is "$("$T/tree/lib/commit")" "$commit dirty" "... and a change"
git_in_tree archive --prefix=a/ HEAD | tar -xf - -C "$T/tree"
is "$("$T/tree/a/lib/commit")" "$commit" "an archive knows its commit"
mkdir -p "$T/tree/b/lib"
cp -p lib/commit "$T/tree/b/lib"
is "$("$T/tree/b/lib/commit")" unknown "the repository of another project is not asked"

### A new commit is a new link, and nothing else

# built COMMIT: a build on this one's objects.
built() {
	KPIPE_COMMIT=$1 make --no-print-directory V=1 BUILD="$T/build" \
		BIN="$T/bin" "$T/bin/kelect" "$T/bin/kpipe" >"$T/log" 2>&1
}
mkdir "$T/build"
[ -n "${BUILD:=build}" ]
tar -cf - -C "$BUILD" --exclude='*.d' config.mk config.key flags libkpipe.a \
	--exclude=kapi lib cmd | tar -xf - -C "$T/build"
ok "with a commit" built test
compiled() {
	sed -nE 's,.* -c -o [^ ]*/((lib|cmd)/[^ ]*) .*,\1,p' "$T/log" | xargs
}
is "$(compiled)" cmd/kpipe/child/inside.o \
	"... nothing is compiled but the table of programs that kpipe was built with"
is "$("$T/bin/kpipe" --version | sed -n 2p)" "commit test" "... but the commit"
ok "the same again" built test
is "$(cat "$T/log" | grep -v "is up to date")" "" "... does nothing"
done_testing
