#include "record/segments.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/span.h"

enum { DIGITS = 8 };
static const char suffix[] = ".jsonl.zst";

void
segments_name(uint64_t sequence, char name[SEGMENT_NAME_SIZE])
{
	snprintf(name, SEGMENT_NAME_SIZE, "%08" PRIu64 "%s",
	    sequence % (SEGMENT_SEQUENCE_MAX + 1), suffix);
}

bool
segments_sequence(const char *name, uint64_t *sequence)
{
	struct span s = span_str(name);

	return s.n == DIGITS + strlen(suffix) && span_ends(s, suffix) &&
	    span_number(span_make(s.p, DIGITS), SEGMENT_SEQUENCE_MAX, sequence);
}

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int
segments_list(const char *dir, struct segments *s, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	uint64_t sequence;

	*s = (struct segments){0};
	if (d == NULL)
		return err_set(err, ERR_PERMANENT, "cannot read %s: %s", dir,
		    strerror(errno));
	while ((entry = readdir(d)) != NULL) {
		if (!segments_sequence(entry->d_name, &sequence))
			continue;
		s->sequences =
		    mem_grow(s->sequences, s->count, sizeof(*s->sequences));
		s->sequences[s->count++] = sequence;
	}
	closedir(d);
	if (s->count > 0)
		qsort(s->sequences, s->count, sizeof(*s->sequences), compare);
	return 0;
}

void
segments_release(struct segments *s)
{
	free(s->sequences);
	*s = (struct segments){0};
}
