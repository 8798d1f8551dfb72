#!/bin/bash
# A tenant attacks operators on a real control plane, with no rights but a
# tenant's; each attack and its result is a row of the table at the end.
# ATTACK_TABLE=FILE keeps it.
# servers: real
TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=operator.sh
. "${0%/*}/operator.sh"
# shellcheck source=attack/lib.sh
. t/attack/lib.sh
attack_begin

for part in ${ATTACKS:-values membership claimants shapes logs pipelines rights}; do
	# shellcheck source=/dev/null
	. "t/attack/$part.sh"
done

attack_end
done_testing
