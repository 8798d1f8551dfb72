#include "sinkline.h"

#include <inttypes.h>

#include "json/json.h"
#include "process/clock.h"

static void
add_type(struct buf *b, enum sink_form form, const char *type, uint64_t length)
{
	char now[CLOCK_RFC3339_MAX];

	buf_adds(b, "{\"type\":\"");
	buf_adds(b, type);
	buf_adds(b, "\",");
	if (form == SINK_TIMESTAMPS) {
		clock_format_us(clock_real_us(), now);
		buf_adds(b, "\"time\":\"");
		buf_adds(b, now);
		buf_adds(b, "\",");
	}
	if (length > 0)
		buf_addf(b, "\"tooLarge\":%" PRIu64 ",", length);
	buf_adds(b, "\"object\":");
}

void
sinkline_add(struct buf *b, enum sink_form form, const char *type,
    struct span body, struct span names, uint64_t length)
{
	if (form == SINK_OBJECTS) {
		if (length > 0)
			return;
		buf_addspan(b, body);
		buf_addc(b, '\n');
		return;
	}
	add_type(b, form, type, length);
	buf_addspan(b, body);
	if (names.n > 0)
		buf_addf(b, ",\"manager\":\"%.*s\"", SPAN_ARG(names));
	buf_adds(b, "}\n");
}

static void
add_text(struct buf *b, const char *key, struct span text)
{
	json_add_key(b, key);
	json_add_string(b, text);
}

void
sinkline_add_gone(struct buf *b, enum sink_form form, const struct objref *gone)
{
	add_type(b, form, "DELETED", 0);
	buf_adds(b, "{\"apiVersion\":");
	json_add_string(b, gone->api_version);
	json_add_key(b, "kind");
	json_add_string(b, gone->kind);
	buf_adds(b, ",\"metadata\":{");
	add_text(b, "name", gone->name);
	if (gone->namespace_.n > 0)
		add_text(b, "namespace", gone->namespace_);
	add_text(b, "uid", gone->uid);
	buf_adds(b, ",\"annotations\":{\"kpipe.dev/synthetic\":\"true\"}}}}\n");
}

void
sinkline_add_bookmark(struct buf *b, enum sink_form form,
    const char *annotation, struct span value, const char *api_version,
    const char *kind)
{
	add_type(b, form, "BOOKMARK", 0);
	buf_adds(b, "{\"apiVersion\":");
	json_add_str(b, api_version);
	json_add_key(b, "kind");
	json_add_str(b, kind);
	buf_adds(b, ",\"metadata\":{\"annotations\":{");
	json_add_str(b, annotation);
	buf_addc(b, ':');
	json_add_string(b, value);
	buf_adds(b, "}}}}\n");
}
