#include "kube/answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
answers_count(struct answers *a, const char *method, int code)
{
	struct answers_of *i = a->list, *end = i + a->count;

	while (i < end && (i->code != code || strcmp(i->method, method) != 0))
		i++;
	if (i == end) {
		if (a->count == ANSWERS_MAX)
			return;
		a->count++;
		*i = (struct answers_of){.code = code, .method = method};
	}
	i->count++;
}

void
answers_metrics(
    const struct answers *a, const char *server, struct metric_lines *m)
{
	const char *at = strstr(server, "://");
	const char *host = at != NULL ? at + 3 : server;
	char *name = mem_dup(host, strcspn(host, "/"));

	for (size_t i = 0; i < a->count; i++) {
		struct buf code = BUF_INIT;

		/* client-go's word for no answer at all. */
		if (a->list[i].code == 0)
			buf_adds(&code, "<error>");
		else
			buf_addf(&code, "%d", a->list[i].code);
		metric_add(m, METRIC_REST_REQUESTS,
		    METRIC_LABELS(buf_str(&code), a->list[i].method, name),
		    (double)a->list[i].count);
		buf_release(&code);
	}
	free(name);
}
