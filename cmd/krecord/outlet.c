#include "outlet.h"

#include "process/clock.h"
#include "segmentline.h"

void
outlet_line(struct outlet *o, enum reading_kind kind, struct span line)
{
	for (size_t i = 0; i < OUTLET_LIVES; i++)
		if (o->live[i] != NULL)
			live_line(o->live[i], kind, line);
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
outlet_flush(struct outlet *o)
{
	for (size_t i = 0; i < OUTLET_LIVES; i++)
		if (o->live[i] != NULL)
			live_flush(o->live[i]);
}

void
outlet_release(struct outlet *o)
{
	for (size_t i = 0; i < OUTLET_LIVES; i++)
		live_free(o->live[i]);
	reel_free(o->reel);
}
