#include "narration.h"

#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "json/jvtext.h"
#include "process/clock.h"

static struct span
text(jv object, const char *key)
{
	struct span t = jvtext_span(jvtext_peek(object, key));

	return t.p != NULL ? t : span_str("");
}

static void
print_time(struct span time)
{
	/* 2026-01-01T00:00:05.000000Z */
	if (time.n >= 23)
		printf("%.12s ", time.p + 11);
}

static void
print_object(jv object)
{
	jv m = jvtext_peek(object, "metadata");
	struct span ns = text(m, "namespace");

	printf("%.*s %.*s%s%.*s", SPAN_ARG(text(object, "kind")), SPAN_ARG(ns),
	    ns.n > 0 ? "/" : "", SPAN_ARG(text(m, "name")));
}

static void
print_change(jv line)
{
	static const char *const words[][2] = {
	    {"ADDED", "made"}, {"MODIFIED", "changed"}, {"DELETED", "deleted"}};
	struct span what = text(line, "change");

	print_time(text(line, "time"));
	printf("%.*s ", SPAN_ARG(text(line, "by")));
	for (size_t i = 0; i < 3; i++)
		if (span_is(what, words[i][0]))
			printf("%s ", words[i][1]);
	print_object(jvtext_peek(line, "object"));
	putchar('\n');
}

static void
print_request(jv r)
{
	jv code = jvtext_peek(r, "code");
	int status = (int)jv_number_value(code);

	/* A success shows in the changes. */
	if (status < 400 && text(r, "fault").n == 0)
		return;
	print_time(text(r, "time"));
	printf("%.*s %.*s %.*s: %d", SPAN_ARG(text(r, "by")),
	    SPAN_ARG(text(r, "method")), SPAN_ARG(text(r, "path")), status);
	if (text(r, "fault").n > 0)
		printf(" (fault: %.*s)", SPAN_ARG(text(r, "fault")));
	putchar('\n');
}

void
narration_print(jv record)
{
	jv_array_foreach(record, i, line)
	{
		jv step = jvtext_peek(line, "do");

		if (jv_is_valid(step)) {
			jv t = jv_dump_string(jv_copy(step), 0);

			printf("--- %.300s\n", jv_string_value(t));
			jv_free(t);
		} else if (jv_is_valid(jvtext_peek(line, "change")))
			print_change(line);
		else if (jv_is_valid(jvtext_peek(line, "request")))
			print_request(jvtext_peek(line, "request"));
		else if (text(line, "fault").n > 0)
			printf("*** %.*s\n", SPAN_ARG(text(line, "fault")));
		else if (text(line, "log").n > 0)
			printf("             %.*s: %.*s\n",
			    SPAN_ARG(text(line, "stage")),
			    SPAN_ARG(text(line, "log")));
		jv_free(line);
	}
	jv_free(record);
}
