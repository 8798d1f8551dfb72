#!/bin/bash
# The Debian package: lintian has nothing to say, two builds give the same
# bytes, and installed in a bare Debian an operator runs, and goes.
# check-all: packages
export TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

t/debian/chroot bare-12 >"$T/root" 2>"$T/err" || {
	quote <"$T/err"
	skip_all "$(tail -n 1 "$T/err")"
}

runs 0 "make dist" make -s dist DIST="$T/kpipe.tar.gz"
runs 0 "it builds, and its tests pass" \
	env BIN="$T/bin" nice deploy/debian/build "$T/kpipe.tar.gz" "$T/1"
ok "... in a folder of its own" test ! -e "$T/bin"
(
	# Another folder, time zone, language, umask; without the tests.
	mkdir "$T/other-folder"
	umask 077
	TMPDIR=$T/other-folder TZ=Asia/Tokyo LC_ALL=C.UTF-8 \
		DEB_BUILD_OPTIONS="nocheck parallel=1" \
		nice deploy/debian/build "$T/kpipe.tar.gz" "$T/2"
) >"$T/second" 2>&1
version=$(make -s version)
deb=kpipe_$version-1_$(dpkg --print-architecture).deb
ok "another build gives the same bytes" cmp "$T/1/$deb" "$T/2/$deb"

# Not what lintian takes for English in machine code.
runs 0 "lintian" lintian --allow-root --fail-on error,warning,info,pedantic \
	--suppress-tags spelling-error-in-binary \
	--display-info --pedantic "$T"/1/*.changes
is "$(<"$T/out")" "" "... has nothing to say"

dpkg-deb --fsys-tarfile "$T/1/$deb" | tar -tf - >"$T/files"
for main in cmd/*/main.c; do
	tool=${main#cmd/}
	tool=${tool%/main.c}
	is "$(grep -cxE "\./usr/(bin/$tool|share/man/man1/$tool\.1\.gz|share/bash-completion/completions/$tool|share/zsh/vendor-completions/_$tool|share/fish/vendor_completions\.d/$tool\.fish)" \
		"$T/files")" 5 "$tool, its page, its completions"
done
for tool in kwhy kview kapply; do
	is "$(grep -cxE "\./usr/(bin|share/man/man1)/kubectl(_complete)?-$tool(\.1\.gz)?" \
		"$T/files")" 4 "$tool as a plugin of kubectl, with its page"
done
is "$(dpkg-deb -f "$T/1/$deb" Recommends)" "jq, make" \
	"what \`kgen new\` and its tests need is recommended"
for file in lib/systemd/system/kpipe@.service usr/share/pkgconfig/kpipe.pc \
	usr/share/kpipe/jq/operator.jq etc/kpipe/ \
	usr/share/kpipe/pipeline/memcached/watches.yaml; do
	ok "$file" grep -qx "\./$file" "$T/files"
done

mkdir "$T/given"
cp "$T/1/$deb" "$T/given"
for file in crd example; do
	t/yaml-lines <"pipeline/memcached/$file.yaml" >"$T/given/$file.json"
done
GIVEN=$T/given runs 0 "in a bare Debian" t/debian/bare 12 \
	"t/debian/installed /root/kpipe/given/$deb"
quote <"$T/out"
is "$(grep -cE '^(installed: kpipe .* install ok installed|the operator has|removed: )' \
	"$T/out")" 3 "... it was installed, an operator ran, it was removed"
done_testing
