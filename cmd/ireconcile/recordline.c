#include "recordline.h"

#include <inttypes.h>

#include "base/array.h"
#include "json/json.h"
#include "process/log.h"
#include "record/reading.h"

bool
recordline_is(struct span text, uint64_t *gaps, struct err *err)
{
	/* Only these have events. A gap without a name may be in any. */
	static const char *const streams[] = {"", "events", "all", "live"};
	struct json_members m = json_members(text);
	struct span record, stream;

	if (!json_member(&m) || !span_is(m.key, "record"))
		return false;
	record = json_raw_string(m.value);
	stream = json_raw_string(json_get(text, "stream"));
	for (size_t i = 0; i < COUNT(streams) && span_is(record, "gap"); i++)
		*gaps += span_is(stream, streams[i]);
	if (span_is(record, "segment"))
		reading_check_version(json_get(text, "version"), err);
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
