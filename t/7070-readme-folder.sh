#!/bin/bash
# README.md, "Into the cluster", as a reader follows it, but for
# the image and the cluster (t/node/readme has these): on kapi.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=readme.sh
. "${0%/*}/readme.sh"
own_kubectl
mkdir "$T/work"
readme_blocks "folder: "
ok "the chapter has examples" test -s "$T/blocks/005"
for block in "$T/blocks"/???; do
	readme_type "$block"
	[ "$(<"$block.what")" != start ] ||
		ok "... runs" wait_for 20 grep -q '^kpipe: ready' "$T/started"
done
ok "the new field is in crd.yaml" grep -q 'default: 1' "$T/work/web/crd.yaml"
ok "the changed program is accepted" make -s -C "$T/work/web" test
done_testing
