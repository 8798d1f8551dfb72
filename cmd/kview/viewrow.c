#include "viewrow.h"

static const char *const names[] = {"present", "appeared", "spec", "status",
    "meta", "gone", "decision", "write", "unchanged", "failure", "leader",
    "restart", "phase", "gap", "bad", "shadow"};

const char *
viewrow_sort_name(enum viewrow_sort sort)
{
	return names[sort];
}
