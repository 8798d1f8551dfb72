#!/bin/bash
# The image of an operator: what is in it, what it says about itself.
# check-all: images
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=image.sh
. "${0%/*}/image.sh"
arch=$(dpkg --print-architecture)
export LC_ALL=C

# The tools know whether anything was changed since the commit.
runs 0 "bin/ is of this commit" env -u BIN make -s
# What a user's environment has for other programs does not count.
PREFIX=/nowhere image_build -t localhost/memcached:1 pipeline/memcached
is "$(head -n 1 "$T/out" | sed 's/@.*//')" localhost/memcached:1 "its name"
is "$(skopeo inspect --format '{{.Digest}}' "oci-archive:$image")" \
	"$(sed -n '1s/.*@//p' "$T/out")" "... and its digest"

### Contents

image_unpack "$arch"
root=$T/root.$arch
size=$(awk -v a="$arch" '$1 == a {print $2}' "$T/out")
note "$size bytes compressed, $(du -sb "$root" | cut -f 1) unpacked"
# Later releases have a larger OpenSSL.
limit=6300000
! grep -q '^VERSION_ID="12"' /etc/os-release || limit=5700000
ok "at most $limit bytes compressed" test "$size" -le $limit
is "$(ls "$root/usr/bin")" "ireconcile
kapply
kelect
kpipe
kpipe-http
krecord
kstatus
kview
kwatch" "the tools and no others, such as a shell"
is "$(find "$root/usr/bin" -type l -printf '%l\n' | sort | uniq -c)" \
	"      8 kpipe" "... which are links to kpipe"
is "$(find "$root" -type f -perm /111 ! -path "$root/usr/bin/*" \
	! -path '*/lib*.so*' ! -path '*/ld-linux*')" "" "no other programs"
is "$(find "$root" -perm /6000 -o -type f -perm /022)" "" \
	"nothing set-user-ID, nothing writable"
is "$(find "$root" -type d -perm /022 -printf '%P %m\n')" "tmp 1777" \
	"... but /tmp"
is "$(tar -tvzf "$(image_blob '.layers[0].digest' "$(image_manifest "$arch")")" |
	awk '{print $2}' | sort -u)" "0/0" "everything is root's"
is "$(grep 65532 "$root/etc/passwd")" \
	"kpipe:x:65532:65532:kpipe:/:/usr/sbin/nologin" "the user has a name"
is "$(cd "$root/operator" && find . -type f | sort)" "./reconcile.jq
./watches.yaml" "the operator: what it runs"
for tool in "$root"/usr/bin/*; do
	tool=${tool##*/}
	# Every symbol is looked up at once, in the image alone.
	is "$(LD_BIND_NOW=1 unshare -r chroot "$root" "/usr/bin/$tool" --version |
		head -n 1)" "$tool $(make -s version)" "$tool starts there"
	ok "... without symbols for a debugger" \
		sh -c "! readelf -S '$root/usr/bin/$tool' | grep -E 'debug|symtab'"
done
for file in "$root"/usr/lib/*/lib*.so*; do
	echo "$file"
	cmp "$file" "${file#"$root"}" >&2
done >"$T/libraries" 2>"$T/differ"
is "$(<"$T/differ")" "" "$(wc -l <"$T/libraries") libraries are Debian's"
# t/7110-image-libraries.sh tests one of tools that load libcurl.
is "$(grep -c /libcurl "$T/libraries")" 0 "... and libcurl is in the tools"
is "$(sed -n 's/^Version: //p' "$root"/var/lib/dpkg/status.d/libcurl*-dev)" \
	"$(dpkg-query -W -f '${Version}\n' libcurl4-openssl-dev)" \
	"... of the version that scanners find"
ok "... with its licence" grep -q '^License: curl' \
	"$root"/usr/share/doc/libcurl*-dev/copyright

### What it says about itself

config=$(image_blob .config.digest "$(image_manifest "$arch")")
is "$(jq -c '[.architecture, .os, .config.User, .config.Entrypoint,
	.config.Cmd, .config.Env]' "$config")" \
	"[\"$arch\",\"linux\",\"65532:65532\",[\"/usr/bin/kpipe\"],[\"-f\",\"/operator/watches.yaml\"],[\"PATH=/usr/bin\"]]" \
	"user, entry point, environment"
commit=$(git rev-parse HEAD) when=$(git log -1 --format=%ct)
[ -z "$(git status --porcelain)" ] || commit+=-dirty
is "$(jq -S .config.Labels "$config")" "$(jq -nS --arg commit "$commit" \
	--arg when "$(date -u -d "@$when" +%FT%TZ)" \
	--argjson d "$(kgen describe -f pipeline/memcached)" '{
	"org.opencontainers.image.created": $when,
	"org.opencontainers.image.description": $d.description,
	"org.opencontainers.image.licenses": "Apache-2.0",
	"org.opencontainers.image.revision": $commit,
	"org.opencontainers.image.title": "memcached-operator",
	"org.opencontainers.image.version": $d.version}')" "labels"
is "$(jq -r .created "$config")" "$(date -u -d "@$when" +%FT%TZ)" \
	"it was created when the commit was"

sbom=$root/usr/share/kpipe/sbom.spdx.json
(cd "$root" && find . -type f ! -path ./usr/share/kpipe/sbom.spdx.json \
	-exec sha256sum {} +) | awk '{print $2, $1}' | sort >"$T/want"
jq -r '.files[] | .fileName + " " + (.checksums[] |
	select(.algorithm == "SHA256").checksumValue)' "$sbom" | sort >"$T/got"
same "$T/got" "$T/want" "the list of contents has every file, with its checksum"
is "$(jq -r '.relationships[] | select(.relationshipType == "CONTAINS") |
	.relatedSpdxElement' "$sbom" | sort | uniq -c | awk '$1 != 1')" "" \
	"... each in one package"
is "$(jq -r '[.files[].SPDXID] - [.relationships[].relatedSpdxElement] | .[]' \
	"$sbom")" "" "... none in no package"
is "$(jq -r '.packages[] | select(.supplier) | "\(.name) \(.versionInfo)"' \
	"$sbom")" "$(jq -r '.packages[] | select(.supplier).name' "$sbom" |
	while read -r name; do
		dpkg-query -W -f '${Package} ${Version}\n' "$name:$arch"
	done)" "... with the versions of Debian's packages"
is "$(jq -c '[.spdxVersion, .dataLicense, .SPDXID, .creationInfo.created]' \
	"$sbom")" "$(jq -nc --arg when "$(date -u -d "@$when" +%FT%TZ)" \
	'["SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT", $when]')" "... as SPDX 2.3"
is "$(jq -r '([(.packages, .files)[].SPDXID] + ["SPDXRef-DOCUMENT"]) as $ids |
	(($ids | group_by(.)[] | select(length > 1)[0]),
	([.relationships[] | .spdxElementId, .relatedSpdxElement] - $ids)[],
	($ids[] | select(test("^SPDXRef-[A-Za-z0-9.-]+$") | not)))' "$sbom")" \
	"" "... its identifiers are unique and known"
is "$(jq -r '[.packages[].licenseDeclared | scan("LicenseRef-[A-Za-z0-9.-]+")]
	- [.hasExtractedLicensingInfos[].licenseId] | .[]' "$sbom")" "" \
	"... and so are its licences"
is "$(cd "$root/var/lib/dpkg/status.d" && ls)" \
	"$(jq -r '.packages[] | select(.supplier).name' "$sbom" | sort)" \
	"scanners find the same packages"

### kpipe alone

image_build -
is "$(head -n 1 "$T/out" | sed 's/@.*//')" \
	"localhost/kpipe:$(make -s version)" "kpipe alone: its name and version"
image_unpack "$arch"
ok "... is that without an operator" test ! -e "$root/operator"
is "$(ls "$root/usr/bin" | wc -l)" 9 "... with the same tools"
config=$(image_blob .config.digest "$(image_manifest "$arch")")
is "$(jq -r '.config.Labels | ."org.opencontainers.image.title",
	."org.opencontainers.image.version"' "$config" | paste -sd ' ')" \
	"kpipe $(make -s version)" "... its labels"
is "$(jq -r '([.packages[].SPDXID] | index("SPDXRef-Package-kpipe") != null),
	(.relationships[] | select(.relationshipType == "DESCRIBES")
		| .relatedSpdxElement), ([(.packages, .files)[].SPDXID] as $ids
		| [.relationships[].relatedSpdxElement] - $ids | length)' "$sbom" |
	paste -sd ' ')" "true SPDXRef-Package-kpipe 0" "... and its list of contents"
runs 0 "with a name and no tag" deploy/image/build -t localhost:5000/a/kpipe - \
	"$T/x.tar"
is "$(sed -n '1s/@.*//p' "$T/out")" "localhost:5000/a/kpipe:$(make -s version)" \
	"... it has its version"
rm "$T/x.tar"

### Names and tags

runs 0 "a name without a tag" deploy/image/build -t localhost:5000/a/b \
	pipeline/at "$T/at.tar"
tag=$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d-%H%M%S)
tag+=.$(git rev-parse HEAD | cut -c -12)
[ -z "$(git status --porcelain)" ] || tag+=-dirty
is "$(sed -n '1s/@.*//p' "$T/out")" "localhost:5000/a/b:$tag" \
	"... gets the time and the commit"
mkdir "$T/apart"
cp pipeline/memcached/*.{yaml,jq} "$T/apart"
echo 'password: x' >"$T/apart/kubeconfig.yaml"
echo '{"password": "x"}' >"$T/apart/key.json"
mkdir "$T/apart/"{words,t,.git}
echo 'def hello: "hello";' >"$T/apart/words/hello.jq"
touch "$T/apart/"{t/test,.git/hidden}.jq
echo '  filters: [[./stations, "60"]]' >>"$T/apart/watches.yaml"
find "$T/apart" -type f -exec touch -d '2026-01-02 03:04:05 UTC' {} +
rm -r "$T/apart/.git"

# An author's folder, outside of git, by an installed kpipe.
runs 0 "make install" make -s install DESTDIR="$T/installed" PREFIX=/opt/kpipe
PATH=/usr/bin:/bin runs 0 "an installed kpipe makes images" env -u BIN \
	"$T/installed/opt/kpipe/share/kpipe/image/build" "$T/apart" "$image"
is "$(sed -n '1s/@.*//p' "$T/out")" \
	"localhost/memcached-operator:20260102-030405" \
	"... without git, with the time of the newest file"
is "$(<"$T/err")" \
	'deploy/image/build: warning: watches.yaml: the image does not have the filter "./stations": add it, with what it needs to run, in an image FROM this one' \
	"... warns of a filter, which is not in it"
PATH=/usr/bin:/bin runs 0 "... also that of kpipe alone" env -u BIN \
	"$T/installed/opt/kpipe/share/kpipe/image/build" - "$T/kpipe.tar"
rm -rf "$T/layout"
mkdir "$T/layout"
tar -xf "$image" -C "$T/layout"
image_unpack "$arch"
is "$(cd "$root/operator" && find . -type f | sort)" "./reconcile.jq
./watches.yaml
./words/hello.jq" "... with programs, and without what may be a secret"
runs 100 "... not for another CPU" env -u BIN ARCH=other \
	"$T/installed/opt/kpipe/share/kpipe/image/build" "$T/apart" "$T/x.tar"
is "$(tail -n 1 "$T/err")" "deploy/image/build: an installed kpipe makes images for this CPU, $arch, not for other" \
	"... and says so"

### Errors

# refused WHAT MESSAGE ARGUMENT...
refused() {
	runs 100 "$1" deploy/image/build "${@:3}"
	is "$(tail -n 1 "$T/err")" "$2" "... says so"
}
refused "no folder" "deploy/image/build: no folder $T/none" "$T/none" "$T/x.tar"
mkdir "$T/empty"
refused "not a folder of an operator" \
	"kgen: fatal: $T/empty: not the folder of an operator: it has no operator.yaml, watches.yaml" \
	"$T/empty" "$T/x.tar"
for name in Upper a:b:c a@sha256:00 a//b /a a: "a b"; do
	runs 100 "the name $name" deploy/image/build -t "$name" "$T/apart" \
		"$T/x.tar"
	is "$(sed 's/.*\(: want\)/\1/' "$T/err")" \
		": want [HOST[:PORT]/]NAME[:TAG], NAME in lower case" \
		"... is refused"
done
long=$(printf 'a%.0s' {1..254})
refused "a long name" "deploy/image/build: the image's name is longer than 255: $long:1" \
	-t "$long:1" "$T/apart" "$T/x.tar"
long=$(printf 'a%.0s' {1..129})
refused "a long tag" "deploy/image/build: the image's tag is longer than 128: $long" \
	-t "a:$long" "$T/apart" "$T/x.tar"
echo 'def desired: nothing;' >"$T/apart/reconcile.jq"
refused "a program with a fault" \
	"deploy/image/build: the programs of $T/apart do not work with watches.yaml and *.jq alone, which are in the image" \
	-t a:1 "$T/apart" "$T/x.tar"
echo kept >"$T/x.tar"
refused "... with an image from before" \
	"deploy/image/build: the programs of $T/apart do not work with watches.yaml and *.jq alone, which are in the image" \
	-t a:1 "$T/apart" "$T/x.tar"
is "$(<"$T/x.tar")" kept "... which stays as it is"
is "$(ls "$T"/x.tar*)" "$T/x.tar" "nothing is half-written"
done_testing
