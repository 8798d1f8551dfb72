#!/bin/bash
# The tools that `make install` puts below DESTDIR work from there.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

runs 0 "make install" make --no-print-directory install \
	DESTDIR="$T/root" PREFIX=/opt/kpipe
root=$T/root/opt/kpipe
for main in cmd/*/main.c; do
	tool=${main#cmd/}
	tool=${tool%/main.c}
	runs 0 "$tool runs" "$root/bin/$tool" --version
	ok "... its page is there" test -s "$root/share/man/man1/$tool.1"
done

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
mv "$root" "$T/elsewhere"
runs 0 "ireconcile finds the library for programs, wherever it is" \
	"$T/elsewhere/bin/ireconcile" -f "$T/op/watches.yaml" <"$T/op/in"
is "$(jq -r '.items[].metadata.name' "$T/out")" a "... and uses it"

done_testing
