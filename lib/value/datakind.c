#include "value/datakind.h"

bool
datakind(struct span group, struct span kind)
{
	return group.n == 0 &&
	    (span_is(kind, "Secret") || span_is(kind, "ConfigMap"));
}
