#include "conf/instancename.h"

#include <string.h>

enum { NAME_MAX_LEN = 253 };

bool
instancename_is(struct span name)
{
	bool good = name.n > 0 && name.n <= NAME_MAX_LEN;

	for (size_t i = 0; i < name.n && good; i++)
		good = span_is_alnum(name.p[i]) ||
		    memchr("-_./:@", name.p[i], 6) != NULL;
	return good;
}

int
instancename_check(const char *what, const char *name, struct err *err)
{
	if (instancename_is(span_str(name)))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s must be 1 to %d letters, digits and characters of \"-_./:@\", "
	    "not \"%s\"",
	    what, NAME_MAX_LEN, name);
}

int
instancename_check_former(const struct opt_list *names, struct err *err)
{
	for (size_t i = 0; i < names->count; i++)
		if (instancename_check("option --take-over-instance",
			names->items[i], err) != 0)
			return -1;
	return 0;
}
