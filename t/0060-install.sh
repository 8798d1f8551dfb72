#!/bin/bash
# The tools that `make install` puts below DESTDIR work from there.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# What is there before, in folders that others use as well.
root=$T/root/opt/kpipe
theirs="bin/other lib/systemd/system/other.service share/man/man1/other.1"
for file in $theirs; do
	mkdir -p "$root/${file%/*}"
	echo other >"$root/$file"
done

# there: the modes and names of what was installed; a link has no mode.
there() {
	(cd "$root" && find . ! -type d ! -name 'other*' \
		\( -type l -printf '644 %P\n' -o -printf '%m %P\n' \)) |
		sort -k 2
}

make="make --no-print-directory DESTDIR=$T/root PREFIX=/opt/kpipe"
runs 0 "make install" bash -c "umask 077; $make install"
there >"$T/there"
is "$(grep -vE '^(755 (bin/|share/kpipe/(image/|monitoring/generate$|(un)?deploy$|run$|pipeline/playground/revisions$))|644 )' "$T/there")" "" "all users can read it"
for main in cmd/*/main.c; do
	tool=${main#cmd/}
	tool=${tool%/main.c}
	runs 0 "$tool runs" "$root/bin/$tool" --version
	ok "... its page is there" test -s "$root/share/man/man1/$tool.1"
	is "$(bash -c ". '$root/share/bash-completion/completions/$tool'
		complete -p $tool")" "complete -o default -F _$tool $tool" \
		"... and its completion"
	is "$(head -n 1 "$root/share/zsh/site-functions/_$tool")" \
		"#compdef $tool" "... for zsh"
	ok "... for fish" grep -q "^complete -c $tool -s h -l help -d " \
		"$root/share/fish/vendor_completions.d/$tool.fish"
done

for tool in kwhy kview kapply; do
	for name in "kubectl-$tool" "kubectl_complete-$tool"; do
		is "$(readlink "$root/bin/$name" "$root/share/man/man1/$name.1" |
			xargs)" "$tool $tool.1" "$name is $tool"
	done
done
runs 0 "a plugin runs" "$root/bin/kubectl-kwhy" --help
is "$(head -n 1 "$T/out")" \
	"Usage: kubectl kwhy [OPTION]... KIND NAMESPACE/NAME [RECORDING]..." \
	"... and says how"

# Every file of a folder, and no others.
for folder in lib/jq:kpipe/jq pipeline:kpipe/pipeline doc:doc/kpipe/doc \
	deploy/image:kpipe/image deploy/monitoring:kpipe/monitoring; do
	[ -d "${folder%:*}" ] || continue
	is "$(cd "$root/share/${folder#*:}" && find . -type f | sort)" \
		"$(cd "${folder%:*}" && find . -type f ! -path '*/.*/*' \
			! -name '.?*' ! -path '*__pycache__*' ! -name '*~' |
			sort)" "${folder%:*} is in share/${folder#*:}"
done
ok "share/kpipe has the scripts for a cluster" eval "test -x $root/share/kpipe/deploy &&
	test -x $root/share/kpipe/undeploy &&
	test -x $root/share/kpipe/run && test -r $root/share/kpipe/lib.sh"
is "$(cd "$root" && grep -rlF "$T" .)" "" "no file names DESTDIR"

asked() {
	PKG_CONFIG_PATH=$root/share/pkgconfig \
		PKG_CONFIG_SYSROOT_DIR='' "${PKG_CONFIG:-pkg-config}" "$@" kpipe
}
is "$(asked --modversion)" "$(make -s version)" "pkg-config knows the version"
for name in jqdir:share/kpipe/jq pipelinedir:share/kpipe/pipeline bindir:bin; do
	is "$(asked --variable="${name%:*}")" "/opt/kpipe/${name#*:}" \
		"... and ${name%:*}"
done
unit=$root/lib/systemd/system/kpipe@.service
ok "the unit starts this kpipe" grep -q '^ExecStart=/opt/kpipe/bin/kpipe ' "$unit"
is "$(grep -c @PREFIX@ "$unit")" 0 "... and names this prefix"
ok "... as an instance of its own" grep -q "^Environment=OPERATOR_NAME=%i$" "$unit"

# A package gives its own folders for units and zsh.
cp -R "$root" "$T/kept"
runs 0 "make uninstall" bash -c "$make uninstall"
is "$(there)" "" "... leaves no file of ours"
is "$(cd "$root" && cat $theirs)" "$(printf 'other\nother\nother')" \
	"... and what is not ours"
is "$(find "$root" -type d -name '*kpipe*' ! -path "$root")" "" \
	"... and no folder of ours"
runs 0 "make uninstall, again" bash -c "$make uninstall"
others="UNITDIR=/units ZSHDIR=/zsh"
runs 0 "make install with other folders" bash -c "$make install $others"
ok "... puts the unit there" test -s "$T/root/units/kpipe@.service"
ok "... and the rules for zsh" test -s "$T/root/zsh/_kwatch"
ok "... not elsewhere" test ! -e "$root/share/zsh/site-functions/_kwatch"
runs 0 "make uninstall with them" bash -c "$make uninstall $others"
is "$(find "$T/root" ! -type d ! -name 'other*')" "" "... removes it"

mkdir "$T/op"
cat >"$T/op/watches.yaml" <<'EOF'
- group: example.com
  version: v1
  kind: Thing
  program: thing.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
EOF
cat >"$T/op/thing.jq" <<'EOF'
include "operator";
def desired: [config_map("a"; {}; {k: "v"})];
EOF
echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"default","uid":"1"}}' >"$T/op/in"
# The source tree is moved away, so that nothing in it is found by chance.
mv "$T/kept" "$T/elsewhere"
runs 0 "ireconcile finds the library for programs, wherever it is" \
	"$T/elsewhere/bin/ireconcile" -f "$T/op/watches.yaml" <"$T/op/in"
is "$(jq -r '.items[].metadata.name' "$T/out")" a "... and uses it"
runs 0 "a pipeline runs from there" "$T/elsewhere/bin/ireconcile" \
	-f "$T/elsewhere/share/kpipe/pipeline/memcached/watches.yaml" \
	--clock=input <pipeline/memcached/t/life.jsonl
ireconcile -f pipeline/memcached/watches.yaml --clock=input \
	<pipeline/memcached/t/life.jsonl >"$T/want"
same "$T/out" "$T/want" "... with the output of the tree"
ok "... which is something" test -s "$T/want"

done_testing
