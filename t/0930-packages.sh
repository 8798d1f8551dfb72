#!/bin/bash
# What is missing is named, and how large it is, and installed; where that cannot
# be, the user is told what to do.
. "${0%/*}/lib.sh"

runs 0 "nothing is missing here" t/install-packages
is "$(cat "$T/out" "$T/err")" "" "... so it says nothing"

mkdir "$T/path"
for tool in bash make pkg-config jq curl openssl prove setpriv \
	flock pgrep ss git col xxd unshare; do
	ln -s "$(command -v "$tool")" "$T/path"
done
# A compiler that is a link to ccache looks for the real one in PATH.
printf '#!/bin/sh\nPATH=%q exec %q "$@"\n' "$PATH" "$(command -v cc)" \
	>"$T/path/cc"
# A python3 that finds every module.
printf '#!/bin/sh\n' >"$T/path/python3"
chmod +x "$T/path"/{cc,python3}
runs 100 "no zstd, no mandoc, no apt-get" \
	env PATH="$T/path" CC=cc t/install-packages
is "$(head -n 3 "$T/err")" "t/install-packages: missing:
zstd
mandoc" "... both are named"
ok "... and the Debian packages" grep -q '^Please install .* zstd mandoc ' \
	"$T/err"

runs 0 "the demo needs neither" \
	env PATH="$T/path" CC=cc t/install-packages demo

runs 100 "check-all needs more" \
	env PATH="$T/path" CC=cc t/install-packages all
ok "... to make images" grep -q '^podman$' "$T/err"
ok "... and packages" grep -q '^Please install .* lintian ' "$T/err"

for tool in realpath sed env; do
	ln -s "$(command -v "$tool")" "$T/path"
done
# An apt-get that does nothing.
cat >"$T/path/apt-get" <<'END'
#!/bin/bash
case $* in
*--assume-no*)
	echo "0 upgraded, 5 newly installed, 0 to remove and 3 not upgraded.
Need to get 1 kB/2 kB of archives.
After this operation, 3 MB of additional disk space will be used."
	exit 1
	;;
*install*) [ ! -e "${0%/*}/broken" ] || exit 100 ;;
esac
words=$*
echo "apt-get ${words%% --no-install*}"
END
printf '#!/bin/sh\nexit 1\n' >"$T/path/apt-cache"
printf '#!/bin/sh\necho "${USER_ID:-0}"\n' >"$T/path/id"
chmod +x "$T/path"/{apt-get,apt-cache,id}
# installs NAME [VARIABLE=VALUE] COMMAND...: ends with 100
installs() {
	runs 100 "$1" env PATH="$T/path" CC=cc "${@:2}"
}
installs "with an apt-get that does nothing" t/install-packages
is "$(<"$T/err")" "t/install-packages: missing: zstd mandoc
apt-get update
t/install-packages: 5 packages, 1 kB/2 kB to download, 3 MB on disk
apt-get -y install
t/install-packages: still missing: zstd mandoc" \
	"... it is called when the sizes are known, and checked"
installs "a user without sudo" USER_ID=1 t/install-packages
is "$(tail -n 1 "$T/err")" "t/install-packages: only root can install them. \
As root: $ROOT/t/install-packages" "... is told the one command"
printf '#!/bin/sh\necho "sudo $*"\nexec "$@"\n' >"$T/path/sudo"
chmod +x "$T/path/sudo"
installs "a user with sudo" USER_ID=1 t/install-packages
is "$(grep -c '^sudo env DEBIAN_FRONTEND=' "$T/err")" 2 "... installs by it"
touch "$T/path/broken"
installs "a sudo or apt-get that fails" USER_ID=1 t/install-packages all
is "$(tail -n 1 "$T/err")" "t/install-packages: apt-get install failed. \
As root: $ROOT/t/install-packages all" "... that command, too"
done_testing
