#include "scene/podfate.h"

#include "base/buf.h"
#include "json/jvtext.h"

enum { SECONDS_MAX = 1000000 };

static const struct podfate goes_on = {false, false, 0};

/* ---- commands ---- */

/* N, at the end or before a byte that is not a digit. */
static bool
take_number(struct span *rest, long *n)
{
	size_t digits = span_digits(*rest);
	uint64_t value;

	if (!span_number(span_make(rest->p, digits), SECONDS_MAX, &value))
		return false;
	*rest = span_skip(*rest, digits);
	*n = (long)value;
	return true;
}

/* echo, printf or date, and words: quotes may hold anything. */
static bool
prints(struct span text)
{
	static const char *const programs[] = {"echo", "printf", "date", NULL};
	struct span rest = text, word = span_cut(&rest, ' ');
	char quote = 0;

	if (!span_is_one_of(word, programs))
		return false;
	for (size_t i = 0; i < rest.n; i++) {
		char c = rest.p[i];

		if (quote != 0)
			quote = c == quote ? 0 : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (span_is_among(c, ";&|<>()`\n"))
			return false;
	}
	return quote == 0;
}

bool
podfate_of_shell(struct span text, long *code, long *seconds)
{
	struct span rest = span_trim(text, " ");

	*code = *seconds = 0;
	if (prints(rest))
		return true;
	if (rest.n == 0)
		return false;
	if (span_take(&rest, "sleep ")) {
		if (!take_number(&rest, seconds))
			return false;
		rest = span_trim_start(rest, " ");
		if (rest.n == 0)
			return true;
		if (!span_take(&rest, ";") && !span_take(&rest, "&&"))
			return false;
		rest = span_trim_start(rest, " ");
		if (rest.n == 0)
			return true;
	}
	if (span_take(&rest, "exit "))
		return take_number(&rest, code) && rest.n == 0;
	*code = span_is(rest, "false");
	return span_is(rest, "true") || span_is(rest, "false");
}

static int
count_of(jv array_peek)
{
	return jv_get_kind(array_peek) == JV_KIND_ARRAY
	    ? jv_array_length(jv_copy(array_peek))
	    : 0;
}

/* Appends the words of a list, a blank between them. */
static void
add_words(struct buf *b, jv list_peek)
{
	for (int i = 0; i < count_of(list_peek); i++) {
		jv word = jv_array_get(jv_copy(list_peek), i);

		if (b->len > 0)
			buf_addc(b, ' ');
		buf_addspan(b, jvtext_span(word));
		jv_free(word);
	}
}

static bool
container_ends(jv container_peek, long *code, long *seconds)
{
	struct buf b = BUF_INIT;
	struct span text, word;
	const char *slash;
	bool ends;

	add_words(&b, jvtext_peek(container_peek, "command"));
	add_words(&b, jvtext_peek(container_peek, "args"));
	text = buf_span(&b);
	/* /bin/sleep 5 */
	word = text;
	word = span_cut(&word, ' ');
	if ((slash = span_find_last(word, '/')) != NULL)
		text = span_skip(text, (size_t)(slash + 1 - text.p));
	if (span_take(&text, "sh -c ") || span_take(&text, "bash -c "))
		ends = podfate_of_shell(text, code, seconds);
	else
		ends = !span_starts(text, "exit ") &&
		    podfate_of_shell(text, code, seconds);
	buf_release(&b);
	return ends;
}

/* It ends when all of its containers have. */
static struct podfate
by_commands(jv spec_peek)
{
	jv containers = jvtext_peek(spec_peek, "containers");
	struct podfate end = {count_of(containers) > 0, false, 0};

	for (int i = 0; i < count_of(containers); i++) {
		jv c = jv_array_get(jv_copy(containers), i);
		long code, seconds;

		if (!container_ends(c, &code, &seconds))
			end.ends = false;
		end.failed = end.failed || code != 0;
		end.seconds = seconds > end.seconds ? seconds : end.seconds;
		jv_free(c);
	}
	return end.ends ? end : goes_on;
}

/* ---- the annotation ---- */

static bool
by_annotation(struct span text, struct podfate *end)
{
	*end = (struct podfate){true, false, 0};
	if (span_take(&text, "Failed"))
		end->failed = true;
	else if (!span_take(&text, "Succeeded"))
		return false;
	if (text.n == 0)
		return true;
	return span_take(&text, " after ") &&
	    take_number(&text, &end->seconds) && span_is(text, "s");
}

struct podfate
podfate_of(jv pod_peek)
{
	jv annotations =
	    jvtext_peek(jvtext_peek(pod_peek, "metadata"), "annotations");
	jv spec = jvtext_peek(pod_peek, "spec");
	struct span policy = jvtext_span(jvtext_peek(spec, "restartPolicy"));
	struct podfate end;

	if (by_annotation(jvtext_span(jvtext_peek(
			      annotations, "playground.kpipe.dev/outcome")),
		&end))
		return end;
	return policy.n == 0 || span_is(policy, "Always") ? goes_on
							  : by_commands(spec);
}
