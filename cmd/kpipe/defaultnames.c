#include "defaultnames.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "conf/instancename.h"
#include "options.h"

const char *
defaultnames_operator(const struct watches *w)
{
	const char *name = getenv("OPERATOR_NAME");

	return name != NULL && *name != '\0' ? name : w->entries[0].name;
}

/* The default name; like the name of a lease it must be a DNS name. */
char *
defaultnames_lease(const struct watches *w)
{
	return mem_strdup(
	    options.lease != NULL ? options.lease : defaultnames_operator(w));
}

/*
 * If no object can have marks and no text is made of the key, it need not be
 * kept: a random one is used, so that forged marks do not count.
 */
char *
defaultnames_secret(const struct watches *w)
{
	struct buf name = BUF_INIT;

	if (options.marks_key_file != NULL)
		return NULL;
	if (options.marks_key_secret != NULL)
		return mem_strdup(options.marks_key_secret);
	/* Those that only retain come last, and then those that only prove:
	 * one more must not be another key. */
	for (size_t i = 0; i < 3 * w->count; i++) {
		const struct watch_entry *e = &w->entries[i % w->count];

		if (e->marks || e->random || (i >= w->count && e->retains) ||
		    (i >= 2 * w->count && e->proves)) {
			buf_addf(&name, "kpipe-marks-%s", e->name);
			return buf_take(&name);
		}
	}
	return NULL;
}

/* The first of those that the stages use (doc/protocol.md). */
char *
defaultnames_field_manager(const struct watches *w)
{
	struct buf name = BUF_INIT;

	buf_addf(&name, "kpipe-%s", w->entries[0].name);
	return buf_take(&name);
}

int
defaultnames_instance(char **name, struct err *err)
{
	const char *operator_ = getenv("OPERATOR_NAME");
	const char *pod = getenv("POD_NAMESPACE");
	struct buf b = BUF_INIT;

	*name = NULL;
	if (operator_ == NULL || *operator_ == '\0')
		return 0;
	if (pod != NULL && *pod != '\0')
		buf_addf(&b, "%s/", pod);
	buf_adds(&b, operator_);
	*name = buf_take(&b);
	return instancename_check("OPERATOR_NAME", *name, err);
}
