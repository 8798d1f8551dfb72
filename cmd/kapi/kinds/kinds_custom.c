/* Part of kinds/kinds.h: what a definition does not tell of its objects. */
#include "kinds/kinds.h"
#include "reply/columns.h"

/* Besides those that the definition names. */
static const struct selectable fields[] = {
    SELECTABLE_NAME, SELECTABLE_NAMESPACE, SELECTABLE_END};

const struct strategy kinds_custom = {
    .steps = &kinds_custom_steps,
    .names = NAME_SUBDOMAIN,
    .traits = TRAIT_NEEDS_VERSION,
    .generation = GENERATION_NONE,
    .columns = NULL,
    .cells = columns_custom_cells,
    .fields = fields,
    .resets = strategy_resets_metadata,
    .defaults = strategy_no_defaults,
    .prepare = strategy_no_preparation,
    .validate = strategy_no_rules,
    .deletion = DELETION_PLAIN,
};
