#!/bin/bash
# Tests of connections, with the tools and libraries of an image whose tools
# load libcurl, as those of a package do: TLS, HTTP/2, names, plugins and errors
# of libcurl without the libraries that the image has stubs of.
# check-all: images
export TEST_SECONDS=1800
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=image.sh
. "${0%/*}/image.sh"
arch=$(dpkg --print-architecture)
# The objects are the same: tools are linked again.
mkdir -p "$T/build" "$T/own/lib"
ln -s "$ROOT/lib/jq" "$T/own/lib"
tar -cf - -C "${BUILD:-build}" --exclude='*.d' --exclude=t . |
	tar -xf - -C "$T/build"
runs 0 "tools that load libcurl" env -u BIN make -s CURL=shared \
	BUILD="$T/build" BIN="$T/own/bin" all virtual
BIN=$T/own/bin image_build pipeline/memcached
note "$(awk -v a="$arch" '$1 == a {print $2}' "$T/out") bytes compressed"
image_unpack "$arch"
root=$T/root.$arch

for file in "$root"/usr/lib/*/lib*.so*; do
	[ "$(stat -c %s "$file")" -gt 12288 ] || continue
	cmp "$file" "${file#"$root"}" >&2
done 2>"$T/differ"
is "$(<"$T/differ")" "" "large libraries are Debian's"
# What differs from this machine's is a stub.
libraries=$(echo "$root"/usr/lib/*-linux-gnu)
for file in "$root"/usr/bin/* "$libraries"/lib*.so*; do
	[ "${file##*/libcurl.so}" = "$file" ] || continue
	for name in $(readelf -d "$file" |
		sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'); do
		[ ! -e "$libraries/$name" ] ||
			cmp -s "$libraries/$name" "${libraries#"$root"}/$name" ||
			echo "$name of ${file##*/}"
	done
done >"$T/stubbed"
is "$(<"$T/stubbed")" "" "only libcurl gets stubs"
# shellcheck disable=SC2046 # no blanks in them
is "$(nm -D --defined-only $(find "$root/usr/lib" -name 'libldap*' -o \
	-name 'libssh2*') | awk '{sub(/@.*/, "", $3); print $3}' |
	grep -xE 'ldap_search_ext|libssh2_session_startup')" ldap_search_ext \
	"a stub has what libcurl asks for, and no more"

# with_image PROGRAM TO: TO calls it with the libraries of the image. The loader
# is that of this machine, and so is the version of the libraries.
with_image() {
	printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' \
		"$libraries" "$1" >"$2"
	chmod 755 "$2"
}
mkdir -p "$T/bin" "$T/virtual/bin"
for tool in "$T/own/bin"/*; do
	tool=${tool##*/}
	if [ -x "$root/usr/bin/$tool" ]; then
		with_image "$root/usr/bin/$tool" "$T/bin/$tool"
	else
		ln -s "$T/own/bin/$tool" "$T/bin"
	fi
done
# Those with a virtual clock, which tests look for beside bin/.
for tool in "$T/build/virtual/bin"/*; do
	with_image "$tool" "$T/virtual/bin/${tool##*/}"
done
# libzstd is there for krecord, so libcurl finds it.
is "$("$T/bin/kpipe" --version | grep -v '^zstd ')" \
	"$(kpipe --version | grep -v '^zstd ')" "the same versions"
for test in 0500-kubeconfig 1000-kwatch-wire 1010-kwatch-errors 1100-kwatch \
	4000-kstatus-faults 5320-metrics-secure 8010-kapi-http; do
	runs 0 "$test" env BIN="$T/bin" bash "t/$test.sh"
	grep -v '^ok' "$T/out" | quote
done

# Versions of libcurl differ in whether they ask for such a name.
runs 100 "a name with letters that are not ASCII" "$T/bin/kwatch" cm -A --once \
	--server https://bücher.example
ok "... is an error" grep -q 'bücher.example failed' "$T/err"
is "$(python3 -c 'import ctypes, sys
print(ctypes.CDLL(sys.argv[1]).idn2_lookup_ul(b"x", None, 0))' \
	"$root"/usr/lib/*-linux-gnu/libidn2.so.0)" -1 "... also of the stub"

# kwatch looks up a name, and has loaded stubs.
. t/kapi.sh
echo 't0ken,admin,u1,system:masters' >"$T/tokens"
echo t0ken >"$T/token"
kapi_up --token-auth-file "$T/tokens"
start "$T/bin/kwatch" cm -A --server "https://localhost:${url##*:}" \
	--certificate-authority "$T/ca.pem" --token-file "$T/token" \
	>"$T/events" 2>"$T/kwatch.err"
kwatch=$!
ok "by name" wait_for 30 grep -q initial-events-end "$T/events" ||
	quote <"$T/kwatch.err"
is "$(awk '{print $NF}' "/proc/$kwatch/maps" | sort -u |
	grep -E 'libldap|libgssapi' | grep -vc "^$root/")" 0 "libraries of the image"
ok "... among them stubs" grep -q "$root/.*/libldap" "/proc/$kwatch/maps"
done_testing
