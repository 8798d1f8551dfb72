#!/bin/bash
# --version: the number, which is in one place, the commit and the libraries.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

number=$(make -s version)
is "$(LC_ALL=C git grep -lE "(^|[^0-9.])${number//./\\.}([^0-9.]|$)" -- Makefile lib cmd \
	':!cmd/*.jsonl' ':!lib/jq/gen/new.jq' 2>/dev/null)" Makefile "the number is in the Makefile alone"

# The libraries that each is linked with, by the names that it gives them.
tools=(cmd/*/main.c)
tools=("${tools[@]#cmd/}")
tools=("${tools[@]%/main.c}")
declare -A linked=()
while read -r tool library; do
	linked[$tool]+=$library$'\n'
done < <(cd "$BIN" && {
	ldd "${tools[@]/#/./}"
	nm -A "${tools[@]}"
} | awk '
	BEGIN {
		n = split("curl libcurl crypto OpenSSL pcre2 PCRE2 jq libjq " \
			"nghttp2 nghttp2 yaml libyaml seccomp libseccomp zstd zstd " \
			"http_parser http_parser llhttp llhttp", part, " ")
		for (i = 1; i < n; i += 2)
			name["lib" part[i]] = part[i + 1]
	}
	/^[.].*:$/ { gsub(/^[.]\/|:$/, ""); tool = $0 }
	/^\t/ { sub(/(-[0-9].*)?[.]so.*/, "", $1) }
	$1 in name { print tool, name[$1] }
	/ T curl_version_info$/ { sub(/:.*/, ""); print $0, "libcurl" }' | sort -u)
for tool in "${tools[@]}"; do
	"$tool" --version >"$T/out"
	mapfile -t said <"$T/out"
	is "${said[0]}" "$tool $number" "$tool says its number"
	ok "... and its commit" grep -qxE \
		'commit ([0-9a-f]{40}( dirty)?|unknown|test)' "$T/out"
	libraries=("${said[@]:2}")
	is "$(printf '%s\n' "${libraries[@]}" | grep -vxE \
		'[A-Za-z_0-9]+ [0-9]+(\.[0-9]+)+( \((package [^ ()]+ )?when built\))?')" "" \
		"... and libraries with their versions"
	is "$(printf '%s\n' "${libraries[@]%% *}" | sort)" \
		"${linked[$tool]%$'\n'}" "... all of them, and no others"
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

# built COMMIT: a build on this one's objects, with one tool in kpipe.
built() {
	KPIPE_COMMIT=$1 make --no-print-directory V=1 BUILD="$T/build" \
		BIN="$T/bin" INSIDE=kelect "$T/bin/kpipe" >"$T/log" 2>&1
}
mkdir "$T/build"
[ -n "${BUILD:=build}" ]
tar --format=posix -cf - -C "$BUILD" --exclude='*.d' config.mk config.key flags libkpipe.a \
	lib cmd/kelect cmd/kpipe | tar -xf - -C "$T/build"
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
