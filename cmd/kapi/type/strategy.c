#include "type/strategy.h"

const struct selectable strategy_any_fields[] = {
    SELECTABLE_NAME, SELECTABLE_NAMESPACE, SELECTABLE_END};

const struct reset strategy_no_resets[] = {RESET_END};
const struct reset strategy_resets_status[] = {
    {"", {"status"}}, {"status", {"spec"}}, RESET_END};
const struct reset strategy_resets_metadata[] = {
    {"", {"status"}}, {"status", {"spec", "metadata"}}, RESET_END};

void
strategy_no_defaults(struct arena *a, struct node *object)
{
	(void)a, (void)object;
}

void
strategy_no_preparation(const struct change_of *x, struct node *object)
{
	(void)x, (void)object;
}

void
strategy_no_rules(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	(void)c, (void)x, (void)object;
}
