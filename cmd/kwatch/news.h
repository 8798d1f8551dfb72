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
	enum kind_news news;
	uint64_t length; /* of what came, if the frame is its sketch; else 0 */
};

/* It exists, in this version. One that is too long for a line is told of by its
 * sketch (record/sketch.h), with a mark, and logged. */
void news_put(const struct news_from *from, const struct json_frame *frame);
/* It was deleted; this is its last state, if that is not too long. */
void news_drop(const struct news_from *from, const struct json_frame *frame);

#endif
