#include "type/strategy.h"

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
