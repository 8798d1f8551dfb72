#!/bin/bash
# The bundles of our operators keep the documented rules of the Operator Lifecycle
# Manager, as t/olm/check has them; and each of its rules finds something.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=makedeploy.sh
. "${0%/*}/makedeploy.sh"

for operator in "${operators[@]}"; do
	kgen bundle -f "pipeline/$operator" -o "$T/deploy/$operator/bundle" \
		2>"$T/err"
	runs 0 "the bundle of $operator" t/olm/check "$T/deploy/$operator/bundle"
	is "$(cat "$T/out" "$T/err")" "" "... without a complaint"
done

is "$(grep -c 'resources: \[leases\]' deploy/at/bundle/manifests/*version.yaml)" \
	2 "its account has rights where it runs: the lease"

# Every rule finds what the table breaks for it.
t/olm/breaks deploy/at/bundle t/cases/olm/breaks >"$T/found" 2>"$T/err"
is "$(<"$T/err")" "" "a bundle is broken in many ways"
awk -F ' ~ ' 'index(" " $2 " ", " " $1 " ") == 0' "$T/found" >"$T/unseen"
is "$(<"$T/unseen")" "" "each is seen by its rule"
is "$(wc -l <"$T/found")" "$(wc -l <t/cases/olm/breaks)" "all were tried"
t/olm/check --rules | sort >"$T/rules"
cut -d ' ' -f 1 t/cases/olm/breaks | sort -u >"$T/tried"
same "$T/tried" "$T/rules" "there is such a bundle for each rule"

# --- what it prints
cp -r deploy/at/bundle "$T/bundle"
rm -r "$T/bundle/metadata"
runs 1 "a bundle without metadata" t/olm/check "$T/bundle"
is "$(head -n 1 "$T/out")" "metadata: is not a folder with files [folders]" \
	"... says file and rule"
runs 100 "no bundle" t/olm/check "$T/nothing"

# --- versions
cp -r pipeline/at "$T/at"
sed -i 's/^version: .*/version: 1.2.3/' "$T/at/operator.yaml"
cat >>"$T/at/operator.yaml" <<'END'
replaces: 1.2.2
skips: [1.2.0, 1.2.1]
channel: stable
categories: [Database, Monitoring]
END
kgen bundle -f "$T/at" -o "$T/next" 2>"$T/err"
skips="skips: [at-operator.v1.2.0, at-operator.v1.2.1]"
runs 0 "a bundle that replaces another one" t/olm/check "$T/next"
is "$(grep -h -A 1 -e '- name: at-operator.v' -e '^  replaces:' \
	"$T"/next/manifests/*version.yaml "$T"/next/catalog/*/catalog.yaml |
	grep -v -- -- | tr -s ' \n' ' ')" \
	" replaces: at-operator.v1.2.2 $skips - name: at-operator.v1.2.3 replaces: at-operator.v1.2.2 $skips " \
	"... in its CSV and in the channel"
ok "... the channel" grep -q 'channels.v1: stable$' \
	"$T/next/metadata/annotations.yaml"
ok "... categories" grep -q 'categories: Database, Monitoring$' \
	"$T"/next/manifests/*version.yaml
done_testing
