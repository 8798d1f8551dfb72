/* Custom resources: what a definition does not tell of them. */
#include "kinds/kinds.h"

const struct strategy kinds_custom = {
    .names = NAME_SUBDOMAIN,
    .traits = TRAIT_NEEDS_VERSION,
    .generation = GENERATION_NONE,
    .defaults = strategy_no_defaults,
    .prepare = strategy_no_preparation,
    .validate = strategy_no_rules,
};
