#include "row.h"

static const char *const names[] = {"present", "appeared", "spec", "status",
    "meta", "gone", "decision", "write", "unchanged", "failure", "leader",
    "restart", "phase", "gap", "bad"};

const char *
row_sort_name(enum row_sort sort)
{
	return names[sort];
}
