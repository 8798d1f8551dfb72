/*
 * Conversion between versions of built-in kinds that are kept together.
 * Only those that differ in more than apiVersion have code here.
 */
#include "write.h"

void
convert_to(struct arena *a, const struct resource *to, struct node *o)
{
	(void)a, (void)to, (void)o;
}

void
convert_from(struct arena *a, const struct resource *from, struct node *o)
{
	(void)a, (void)from, (void)o;
}
