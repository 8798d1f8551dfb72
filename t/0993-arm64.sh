#!/bin/bash
# kpipe for aarch64, by the cross compiler of Debian 13, run by qemu:
# t/debian/suite.
# check-all: other Debians
export TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=debian/passes.sh
. t/debian/passes.sh
suite_passes arm64 "Debian 13 | arm64"
done_testing
