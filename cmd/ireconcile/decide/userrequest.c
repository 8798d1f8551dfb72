#include "decide/userrequest.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "decide/points.h"
#include "json/json.h"
#include "value/duration.h"

static const char paused_key[] = "kpipe.dev/paused";
static const char observe_only_key[] = "kpipe.dev/observe-only";
static const char requested_key[] = "reconcile.fluxcd.io/requestedAt";
/* The newer spelling has precedence, as in the Ansible operators. */
static const char *const period_keys[] = {
    "ansible.sdk.operatorframework.io/reconcile-period",
    "ansible.operator-sdk/reconcile-period"};
enum { PERIODS = 2, SHOWN = 40 };

/* SPAN_NONE if it is not there. */
static struct span
annotation(const struct primary *p, const char *key)
{
	return json_raw_string(cache_object_annotation(p->object, key));
}

bool
userrequest_paused(const struct primary *p)
{
	return span_is(annotation(p, paused_key), "true");
}

bool
userrequest_observe_only(const struct primary *p)
{
	return span_is(annotation(p, observe_only_key), "true");
}

bool
userrequest_again(struct primary *p)
{
	struct span value = annotation(p, requested_key);
	bool first = p->said.requested == NULL, again;

	again = !first && value.p != NULL && !span_is(value, p->said.requested);
	if (first || again) {
		free(p->said.requested);
		p->said.requested =
		    mem_dup(value.n > 0 ? value.p : "", value.n);
	}
	return again;
}

uint64_t
userrequest_period_ms(const struct primary *p)
{
	uint64_t ms;

	for (size_t i = 0; i < PERIODS; i++) {
		struct span value = annotation(p, period_keys[i]);

		if (value.p != NULL && duration_parse_ms(value, &ms) == 0)
			return ms;
	}
	return p->entry->conf->reconcile_period_ms;
}

static void
complain(
    struct decision *d, const char *key, struct span value, const char *instead)
{
	struct buf text = BUF_INIT;
	size_t n = utf8_cut(value, SHOWN);

	buf_addf(&text, "annotation %s: \"%.*s%s\" is %s", key, (int)n, value.p,
	    n < value.n ? "..." : "", instead);
	points_note(d, NOTICE_ANNOTATION, buf_str(&text));
	buf_release(&text);
}

static void
check_flag(struct decision *d, const char *key, const char *instead)
{
	struct span value = annotation(d->primary, key);

	if (value.p != NULL && !span_is(value, "false") &&
	    !span_is(value, "true"))
		complain(d, key, value, instead);
}

void
userrequest_check(struct decision *d)
{
	uint64_t ms;

	check_flag(d, paused_key,
	    "neither \"true\" nor \"false\": the object is not paused");
	check_flag(d, observe_only_key,
	    "neither \"true\" nor \"false\": the object is repaired as usual");
	for (size_t i = 0; i < PERIODS; i++) {
		struct span value = annotation(d->primary, period_keys[i]);

		if (value.p != NULL && duration_parse_ms(value, &ms) != 0)
			complain(d, period_keys[i], value,
			    "not a duration such as \"30s\" or \"1h30m\"");
	}
}
