#include "conf/namespaces.h"

#include <stdbool.h>
#include <string.h>

#include "base/span.h"
#include "value/dnsname.h"

static int
check(const char *what, struct span name, struct err *err)
{
	if (name.n <= DNSNAME_LABEL_MAX && dnsname_is_label(name))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s: \"%.*s\" is not a name of a namespace", what, SPAN_ARG(name));
}

static int
add_name(
    struct textlist *to, const char *what, struct span name, struct err *err)
{
	if (check(what, name, err) != 0)
		return -1;
	if (!textlist_has(to, name.p, name.n))
		textlist_add(to, name.p, name.n);
	return 0;
}

int
namespaces_parse(
    struct textlist *to, const char *what, const char *text, struct err *err)
{
	if (span_trim(span_str(text), SPAN_BLANKS).n == 0)
		return 0;
	for (;;) {
		size_t n = strcspn(text, ",");

		if (add_name(to, what,
			span_trim(span_make(text, n), SPAN_BLANKS), err) != 0)
			return -1;
		if (text[n] == '\0')
			return 0;
		text += n + 1;
	}
}

int
namespaces_name(const char *what, const char *name, struct err *err)
{
	return check(what, span_str(name), err);
}

int
namespaces_option(struct textlist *to, const char *text, struct err *err)
{
	if (span_trim(span_str(text), SPAN_BLANKS).n == 0)
		return err_set(err, ERR_PERMANENT,
		    "option --namespace names none; --all-namespaces means "
		    "all");
	return namespaces_parse(to, "option --namespace", text, err);
}
