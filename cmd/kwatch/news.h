/*
 * news: what a server says of an object, as an entry of the sink.
 *
 * Here names are decoded (json_frame_names): two servers of one cluster may
 * spell one name differently.
 */
#ifndef NEWS_H
#define NEWS_H

#include "json/json.h"
#include "kind.h"

/* Which listing an entry is of: see sink_entry. */
struct news_from {
	struct kind *kind;
	const void *owner;
	uint32_t mark;
	bool every; /* it is told of also if its version seems to be known */
};

/* It exists, in this version. */
void news_put(const struct news_from *from, const struct json_frame *frame,
    enum kind_news news);
/* It was deleted; this is its last state. */
void news_drop(const struct news_from *from, const struct json_frame *frame);

#endif
