#!/bin/bash
# lib/configure: what the build finds out about the system, which systems it
# refuses, and why. It honours the variables that packagers set.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# Without the search for what libcurl.a needs, which takes longest
# (t/0066-libcurl.sh).
export CURL=shared

# Versions: of what pkg-config knows in $T/modules, whatever the compiler says.
known=(env CC=true PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR="$T/modules")
mkdir "$T/modules"
# module NAME VERSION: it is there.
module() {
	printf '%s\n' "Name: $1" "Description: of $T" "Version: $2" \
		"Cflags: -I/of/$1" "Libs: -l$1-of-pkg-config" >"$T/modules/$1.pc"
}

# Minimum versions: they are accepted, older ones are refused.
cat >"$T/versions" <<'EOT'
libcurl 7.85 7.84.0
libcrypto 3.0 1.1.1
libssl 3.0 1.1.1
yaml-0.1 0.2 0.1.7
libjq 1.6 1.5
libpcre2-8 10.30 10.23
zlib 1.2.9 1.2.8
libnghttp2 1.41 1.40.0
libseccomp 2.5 2.4.4
libzstd 1.4 1.3.8
libllhttp 9.0 8.1.0
EOT
while read -r module minimum _; do
	module "$module" "$minimum"
done <"$T/versions"
runs 0 "the minima are taken" "${known[@]}" lib/configure
taken=$(<"$T/out") page=$(<doc/portability.md)
takes() { [[ $taken == *"$1"* ]]; }
says() { [[ $page =~ $1 ]]; }
while read -r module minimum older; do
	ok "$module: by the flags that pkg-config gives" \
		takes "_CFLAGS := -I/of/$module"
	ok "... and the libraries" takes "_LIBS := -l$module-of-pkg-config"
	module "$module" "$older"
	runs 100 "$module $older" "${known[@]}" lib/configure
	is "$(<"$T/err")" "configure: $module $older is too old: kpipe needs $minimum or later" \
		"... is refused"
	module "$module" "$minimum"
	ok "doc/portability.md says $module $minimum" \
		says "\| *$module *\| *$minimum *\|"
done <"$T/versions"

# llhttp is preferred to http_parser, unless the user chooses.
module libllhttp 9.2
module http_parser 2.9
runs 0 "both parsers" "${known[@]}" lib/configure
ok "... llhttp" grep -qx 'HTTP_PARSER_CFLAGS += -DKPIPE_LLHTTP' "$T/out"
runs 0 "told otherwise" "${known[@]}" HTTP_PARSER=http_parser lib/configure
is "$(grep -c LLHTTP "$T/out")" 0 "... http_parser"
runs 100 "another parser" "${known[@]}" HTTP_PARSER=other lib/configure
is "$(<"$T/err")" \
	"configure: HTTP_PARSER is llhttp or http_parser, not other" \
	"... is refused"

# compiler PATTERN COMMAND: $T/cc takes everything; what has PATTERN among its
# arguments is COMMAND's.
compiler() {
	printf '#!/bin/sh\ncase "$*" in\n%s) %s ;;\nesac\n' "$1" "$2" >"$T/cc"
	chmod +x "$T/cc"
}
real="exec ${CC:-cc} \"\$@\""

# Without pkg-config, or without its file, the header and the library decide.
compiler '*" -l"*' "$real"
runs 0 "no pkg-config" \
	env PKG_CONFIG=false CC="$T/cc" HTTP_PARSER= lib/configure
ok "... libraries by their names" grep -qx 'JQ_LIBS := -ljq' "$T/out"
compiler '*-ljq*' 'exit 1'
runs 100 "no libjq" env PKG_CONFIG=false CC="$T/cc" lib/configure
is "$(<"$T/err")" "configure: missing: libjq (>= 1.6, jq.h). On Debian, \`t/install-packages demo\` installs them." \
	"... says so"

# Systems that kpipe does not run on.
mkdir "$T/empty"
refused() {
	local what=$1 why=$2

	shift 2
	runs 100 "$what is refused" env "$@" lib/configure
	is "$(head -n 1 "$T/err")" "configure: $why" "... with a reason"
}
refused "another system than Linux" \
	"kpipe needs Linux: it uses epoll, signalfd, pidfd and memfd" \
	CPPFLAGS=-U__linux__
refused "32 bits" \
	"kpipe needs a 64-bit CPU: it uses __int128 and 64-bit atomics" \
	CPPFLAGS="-U__SIZEOF_POINTER__ -D__SIZEOF_POINTER__=4"
refused "a big-endian CPU" \
	"kpipe needs a little-endian CPU: no other was ever tested" \
	CPPFLAGS="-U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__"
# musl's has neither macro.
echo >"$T/empty/features.h"
refused "musl" \
	"kpipe needs the GNU C library (glibc), 2.34 or later: not musl" \
	CPPFLAGS="-isystem $T/empty"
printf '#define __GLIBC__ 2\n#define __GLIBC_PREREQ(a, b) ((b) <= 33)\n' \
	>"$T/empty/features.h"
refused "an old C library" \
	"kpipe needs the GNU C library (glibc) 2.34 or later" \
	CPPFLAGS="-isystem $T/empty"
runs 2 "make ends there, too" make --no-print-directory BUILD="$T/build" \
	CPPFLAGS=-U__linux__
ok "... with the reason" grep -q 'kpipe needs Linux' "$T/err"
runs 0 "make clean needs no library" make -n clean PKG_CONFIG=false CC=false

# The user's flags.
runs 0 "make -n" make -n --no-print-directory BUILD="$T/build" BIN="$T/bin" \
	CC=true CPPFLAGS=-DOURS=1 CFLAGS="-O1 -DTHEIRS=1" \
	LDFLAGS=-Wl,--build-id=none
ok "CPPFLAGS are honoured" grep -qE ' -DOURS=1 .* -c .*lib/base/buf.c' "$T/out"
ok "CFLAGS are honoured" grep -qE ' -O1 -DTHEIRS=1 .* -c .*lib/base/buf.c' "$T/out"
ok "LDFLAGS are honoured" \
	grep -qE ' -Wl,--build-id=none .*-o .*bin/kwatch(\.new)? ' "$T/out"
compiler '*-U_FORTIFY_SOURCE*' "$real"
runs 0 "configure" env CC="$T/cc" lib/configure
is "$(grep -c FORTIFY "$T/out")" 1 "... asks for _FORTIFY_SOURCE"
runs 0 "configure with _FORTIFY_SOURCE of the user's" \
	env CC="$T/cc" CPPFLAGS=-D_FORTIFY_SOURCE=2 lib/configure
is "$(grep -c FORTIFY "$T/out")" 0 "... lets it be"
runs 0 "configure without optimization" env CC="$T/cc" CFLAGS=-O0 lib/configure
is "$(grep -c FORTIFY "$T/out")" 0 "... does not ask for it"
runs 0 "configure for sanitizers" env CC="$T/cc" SANITIZE=address lib/configure
is "$(sed -n 's/^HARDEN_CFLAGS := *//p' "$T/out")" -fPIE \
	"... leaves it to them"

done_testing
