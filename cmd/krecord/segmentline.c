#include "segmentline.h"

#include "json/json.h"
#include "process/version.h"
#include "record/reading.h"

void
segmentline_add(
    struct buf *b, uint64_t sequence, const char *time, struct span facts)
{
	struct buf tool = BUF_INIT;

	buf_adds(&tool, "kpipe " KPIPE_VERSION " (");
	version_add_commit(&tool);
	buf_addc(&tool, ')');
	buf_addf(b,
	    "{\"record\":\"segment\",\"version\":%d,\"time\":\"%s\","
	    "\"sequence\":%llu,\"tool\":",
	    READING_VERSION, time, (unsigned long long)sequence);
	json_add_string(b, buf_span(&tool));
	if (facts.n > 0) {
		buf_addc(b, ',');
		buf_addspan(b, facts);
	}
	buf_adds(b, "}\n");
	buf_release(&tool);
}

void
segmentline_add_gap(struct buf *b, const char *time, const char *stream)
{
	buf_addf(b, "{\"record\":\"gap\",\"time\":\"%s\",\"stream\":\"%s\"}\n",
	    time, stream);
}
