#include "recordline.h"

#include <inttypes.h>

#include "base/array.h"
#include "json/json.h"
#include "process/log.h"
#include "record/reading.h"

/* Whether a stream of a recording has events: other streams do not matter here.
 * A line without a name may be of any stream. */
static bool
has_events(struct span stream)
{
	static const char *const events[] = {"", "events", "all", "live"};

	for (size_t i = 0; i < COUNT(events); i++)
		if (span_is(stream, events[i]))
			return true;
	return false;
}

bool
recordline_is(const struct event *line, uint64_t *gaps, struct err *err)
{
	struct span record;

	if (!line->is_record)
		return false;
	record = json_raw_string(json_get(line->text, "record"));
	*gaps += span_is(record, "gap") &&
	    has_events(json_raw_string(json_get(line->text, "stream")));
	if (span_is(record, "segment"))
		reading_check_version(json_get(line->text, "version"), err);
	return true;
}

bool
recordline_say_bad(size_t line, const struct err *err)
{
	bool refused = err->kind == ERR_GONE;

	log_write(refused ? LOG_FATAL : LOG_ERROR, NULL, "line %zu: %s", line,
	    err->message);
	return refused;
}

void
recordline_say_gaps(uint64_t gaps)
{
	if (gaps > 0)
		log_warning("gaps of the recording, in which events are "
			    "missing: %" PRIu64 "; what followed from these is "
			    "not known",
		    gaps);
}
