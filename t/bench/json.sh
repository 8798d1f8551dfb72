#!/bin/bash
# Each reader and writer of JSON beside the next best way to do the same, on
# Pods as kwatch reads them: nanoseconds of CPU for each object, and how many
# times less that is (lib/json/README).
# usage: t/bench/json.sh [OBJECTS]
set -eu
cd "${0%/*}/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

parts="build/cmd/ireconcile/program/jvwire.o build/cmd/ireconcile/agree/flat.o
	build/cmd/kwatch/project.o"
# shellcheck disable=SC2086 # words
make -s build/libkpipe.a $parts
# shellcheck disable=SC2086 # words
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -iquote lib -iquote cmd/ireconcile \
	-iquote cmd/kwatch \
	-o "$tmp/json" t/bench/json.c $parts build/libkpipe.a -ljq -lm
t/bench/make-pods "${1:-300}" | jq -c .object >"$tmp/in"
"$tmp/json" <"$tmp/in"
