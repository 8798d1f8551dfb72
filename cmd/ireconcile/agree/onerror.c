#include "agree/onerror.h"

#include <stdlib.h>
#include <string.h>

#include "agree/agree.h"
#include "json/jvtext.h"

bool
onerror_learn(char **told, jv on_error_peek, jv observed_peek, unsigned texts)
{
	struct buf message = BUF_INIT;
	bool news = agree_template(on_error_peek, observed_peek,
			texts | AGREE_ERROR, &message) &&
	    /* A message is a sentence: a word could be anywhere in a status. */
	    memchr(buf_str(&message), ' ', message.len) != NULL &&
	    (*told == NULL || strcmp(*told, buf_str(&message)) != 0);

	if (news) {
		onerror_forget(told);
		*told = buf_take(&message);
	}
	buf_release(&message);
	return news;
}

void
onerror_forget(char **told)
{
	free(*told);
	*told = NULL;
}

static jv
blank_text(jv text, const char *message)
{
	struct span rest = jvtext_span(text);
	size_t n = strlen(message);
	struct buf out = BUF_INIT;
	const char *at;

	while ((at = memmem(rest.p, rest.n, message, n)) != NULL) {
		buf_add(&out, rest.p, (size_t)(at - rest.p));
		buf_adds(&out, ONERROR_PLACEHOLDER);
		rest.n -= (size_t)(at - rest.p) + n;
		rest.p = at + n;
	}
	buf_addspan(&out, rest);
	jv_free(text);
	text = jv_string_sized(buf_str(&out), (int)out.len);
	buf_release(&out);
	return text;
}

static jv
blank(jv value, const char *message)
{
	switch (jv_get_kind(value)) {
	case JV_KIND_STRING:
		return blank_text(value, message);
	case JV_KIND_ARRAY:
		jv_array_foreach(value, i, element) value =
		    jv_array_set(value, i, blank(element, message));
		return value;
	case JV_KIND_OBJECT:
		jv_object_foreach(value, key, member) value =
		    jv_object_set(value, key, blank(member, message));
		return value;
	default:
		return value;
	}
}

jv
onerror_blank(const char *told, jv status)
{
	return blank(status, told);
}
