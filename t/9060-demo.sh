#!/bin/bash
# The demo on the real control plane; and without Go.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
mkdir "$T/no-go"
for tool in bash dirname; do
	ln -s "$(command -v "$tool")" "$T/no-go"
done
runs 100 "without Go" env PATH="$T/no-go" t/demo real
is "$(cat "$T/err")" "t/cluster/build: the control plane needs Go >= 1.26 to \
build; no go in PATH" "... it says what is missing"
ok "the demo on the real control plane" \
	env SERVER=real bash t/6300-demo.sh || quote <"$T/ok.out"
done_testing
