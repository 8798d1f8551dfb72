#include "outlet.h"

#include "process/clock.h"
#include "segmentline.h"

void
outlet_line(struct outlet *o, enum reading_kind kind, struct span line)
{
	if (o->live != NULL)
		live_line(o->live, kind, line);
	if (o->reel != NULL)
		reel_line(o->reel, line);
}

void
outlet_gap(struct outlet *o, const char *stream)
{
	char time[CLOCK_RFC3339_MAX];
	struct buf b = BUF_INIT;

	clock_format_us(clock_real_us(), time);
	segmentline_add_gap(&b, time, stream);
	outlet_line(o, READING_GAP, span_make(b.data, b.len - 1));
	buf_release(&b);
}

void
outlet_release(struct outlet *o)
{
	live_free(o->live);
	reel_free(o->reel);
}
