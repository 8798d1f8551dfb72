#!/bin/bash
# libcurl.a in the tools: who decides, what they load then, and what happens
# where libcurl wants a library that is left out.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

### lib/configure

# kind [VARIABLE=VALUE]...: which libcurl it takes
kind() {
	env CURL= "$@" lib/configure >"$T/config" 2>"$T/err" || return
	sed -n 's/^CURL_LIBS := *//p' "$T/config" | tail -n 1 |
		sed 's/.*curl_stubs.*/static/; s/-lcurl.*/shared/'
}
is "$(kind CC=true CURL=shared)" shared "the shared one on request"
runs 100 "CURL=no" env CC=true CURL=no lib/configure
is "$(<"$T/err")" "configure: CURL is static or shared, not no" \
	"... is refused"

# compiler ARCHIVE: one that finds it as libcurl.a; it links that, and takes
# anything else.
compiler() {
	cat >"$T/cc" <<-END
		#!/bin/sh
		case "\$*" in
		-print-file-name=libcurl.a) echo "$1" ;;
		*-whole-archive*) exec ${CC:-cc} "\$@" ;;
		esac
	END
	chmod +x "$T/cc"
}
compiler libcurl.a
is "$(kind CC="$T/cc")" shared "no libcurl.a: the shared one"
runs 100 "... unless it has to be the static one" \
	env CURL=static CC="$T/cc" lib/configure
is "$(<"$T/err")" \
	"configure: libcurl.a cannot be linked: it is not there" "... says so"

# archive C: libcurl.a with that in it
archive() {
	echo "$1" >"$T/x.c"
	"${CC:-cc}" -fPIC -c -o "$T/x.o" "$T/x.c"
	rm -f "$T/libcurl.a"
	ar rc "$T/libcurl.a" "$T/x.o"
	compiler "$T/libcurl.a"
}
archive 'int gnutls_init(void); int f(void); int f(void) { return gnutls_init(); }'
is "$(kind CC="$T/cc")" shared "a libcurl.a for another library: the shared one"
runs 100 "... unless it has to be the static one" \
	env CURL=static CC="$T/cc" lib/configure
is "$(<"$T/err")" "configure: libcurl.a cannot be linked: $T/libcurl.a needs gnutls_init" \
	"... says so"
archive 'int f(void); int f(void) { return 0; }'
is "$(kind CC="$T/cc")" static "one that needs nothing: it"

### The functions that stand in

libraries=$(sed -n 's/^CURL_NEEDS := //p' build/config.mk)
archive 'int idn2_lookup_ul(void), gss_wrap(void), psl_get_version(void);
	const struct {int age, number; const char *text;} *nghttp3_version(int);
	extern void *const GSS_C_NT_HOSTBASED_SERVICE; int call(void);
	int call(void) { return idn2_lookup_ul() != -1 || psl_get_version() != 0 ||
		GSS_C_NT_HOSTBASED_SERVICE != 0 ||
		nghttp3_version(0)->text[0] != 0x6e || gss_wrap(); }'
# shellcheck disable=SC2086
runs 0 "what an archive needs" lib/curl-stubs "$T/libcurl.a" $libraries
{
	cat "$T/out"
	echo 'int call(void); int main(void) { return call(); }'
} >"$T/tool.c"
# shellcheck disable=SC2086
runs 0 "... is a C file" "${CC:-cc}" -D_GNU_SOURCE -Wall -Wextra -Werror \
	-o "$T/tool" "$T/tool.c" "$T/libcurl.a"
runs 134 "what is never called ends the process" sh -c "exec 2>$T/said; $T/tool"
is "$(grep -v Aborted "$T/said")" "tool: fatal: libcurl calls gss_wrap, which is not in this program: make CURL=shared" \
	"... after what has an answer"

### The tools

tools="kwatch kapply kstatus kelect kpipe-http"
if grep -q '^CURL_ARCHIVE' build/config.mk; then
	# OpenSSL itself loads libzstd from 3.5 on.
	! grep -q '^CURL_NEEDS.*-lzstd' build/config.mk || zstd="
libzstd.so"
	is "$(for tool in $tools; do ldd "$BIN/$tool"; done |
		grep -oE 'lib(curl|ldap|gssapi|ssh2|rtmp|idn2|psl|brotli|zstd|ngh?t?tp[23])[^ ]*\.so' |
		sort -u)" "libnghttp2.so${zstd:-}" "no tool loads what is never used"
else
	is "$(kind CURL=static)" "" "here libcurl.a cannot be linked"
fi

cat >"$T/peer.py" <<'END'
import os, socket, sys, threading
def serve(peer):
    heard = peer.recv(4096)
    open(sys.argv[1] + ".heard", "wb").write(heard)
    peer.sendall(open(sys.argv[1], "rb").read())
    peer.recv(4096)
    peer.close()
s = socket.create_server(("127.0.0.1", 0))
open(sys.argv[2] + ".new", "w").write(str(s.getsockname()[1]))
os.rename(sys.argv[2] + ".new", sys.argv[2])
while True:
    threading.Thread(target=serve, args=s.accept()[:1]).start()
END
# peer NAME: a server that answers with what $T/NAME has, on $port; what it has
# heard is in $T/NAME.heard.
peer() {
	rm -f "$T/port"
	start python3 "$T/peer.py" "$T/$1" "$T/port"
	wait_for 20 test -s "$T/port" || exit 1
	port=$(<"$T/port")
}

# trouble WHAT COMMAND...: kwatch says what is wrong, and waits
trouble() {
	local what=$1

	shift
	start "$@" >"$T/out" 2>"$T/err"
	ok "$what" wait_for 20 grep -q 'waiting for the API server' "$T/err" ||
		quote <"$T/err"
	ok "... is not the end" kill -0 $!
	kill $!
}
for encoding in br zstd; do
	printf '%s\r\n' "HTTP/1.1 200 OK" "WWW-Authenticate: Negotiate" \
		"Set-Cookie: a=b; Domain=com" \
		"Transfer-Encoding: $encoding, chunked" "" 1 x 0 "" \
		>"$T/$encoding"
	peer $encoding
	trouble "an answer in $encoding, which nobody has asked for" \
		kwatch pods -A --server "http://127.0.0.1:$port"
done
printf '\5\1' >"$T/kerberos"
peer kerberos
trouble "a proxy that wants Kerberos" env http_proxy="socks5h://127.0.0.1:$port" \
	"$BIN/kwatch" pods -A --server http://api.example
is "$(xxd -p "$T/kerberos.heard")" 050100 "... is not offered that"
printf '\5\0' >"$T/open"
peer open
trouble "one that wants nothing" env http_proxy="socks5h://127.0.0.1:$port" \
	"$BIN/kwatch" pods -A --server http://api.example
runs 100 "a name with letters that are not ASCII" kwatch cm -A --once \
	--server https://bücher.example
ok "... is an error" grep -q 'bücher.example failed' "$T/err"
done_testing
