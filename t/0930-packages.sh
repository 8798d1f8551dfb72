#!/bin/bash
# Where packages cannot be installed, the missing ones are named.
. "${0%/*}/lib.sh"

runs 0 "nothing is missing here" t/install-packages
is "$(cat "$T/out" "$T/err")" "" "... so it says nothing"

mkdir "$T/path"
for tool in bash cc make pkg-config jq curl openssl prove setpriv \
	flock pgrep ss git col xxd unshare; do
	ln -s "$(command -v "$tool")" "$T/path"
done
# A python3 that finds every module.
printf '#!/bin/sh\n' >"$T/path/python3"
chmod +x "$T/path/python3"
runs 100 "no zstd, no mandoc, no apt-get" \
	env PATH="$T/path" CC="$(command -v cc)" t/install-packages
is "$(head -n 3 "$T/err")" "t/install-packages: missing:
zstd
mandoc" "... both are named"
ok "... and the Debian packages" grep -q '^Please install .* zstd mandoc ' \
	"$T/err"

runs 0 "the demo needs neither" \
	env PATH="$T/path" CC="$(command -v cc)" t/install-packages demo

runs 100 "check-all needs more" \
	env PATH="$T/path" CC="$(command -v cc)" t/install-packages all
ok "... to make images" grep -q '^podman$' "$T/err"
ok "... and packages" grep -q '^Please install .* lintian ' "$T/err"

printf '#!/bin/sh\necho "apt-get $*"\n' >"$T/path/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$T/path/sudo"
printf '#!/bin/sh\necho 0\n' >"$T/path/id"
chmod +x "$T/path"/{apt-get,sudo,id}
runs 100 "with an apt-get that does nothing" \
	env PATH="$T/path" CC="$(command -v cc)" t/install-packages
is "$(sed 's/ -y .*/ -y .../' "$T/err")" \
	"t/install-packages: missing: zstd mandoc
apt-get -q update
apt-get -q install -y ...
t/install-packages: still missing: zstd mandoc" "... it is called, and checked"
done_testing
