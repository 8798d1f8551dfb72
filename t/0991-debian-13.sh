#!/bin/bash
# The tests that depend on libraries or on the compiler, on Debian 13:
# t/debian/suite.
# check-all: other Debians
export TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=debian/passes.sh
. t/debian/passes.sh
suite_passes 13 "Debian 13 | x86-64"
done_testing
