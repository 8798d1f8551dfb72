#include "notices.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/stream.h"
#include "process/log.h"
#include "program/evaluator.h"
#include "state/cache.h"

void
notices_unproven(struct notices *n, size_t count)
{
	if (n->said_unproven && count == n->unproven)
		return;
	if (count > 0 && (!n->said_unproven || n->unproven == 0))
		log_warning("%zu objects have marks without a proof; what is "
			    "desired gets it as it is applied again, what is "
			    "not is deleted",
		    count);
	else if (count == 0)
		log_info("no object has marks without a proof: start without "
			 "--accept-unproven-marks");
	n->said_unproven = true;
	n->unproven = count;
}

static void
tell_too_large(const struct cache_kind *k, struct reportfd *report)
{
	struct buf b = BUF_INIT;

	if (k->too_large > 0)
		buf_addf(&b,
		    "%zu %s longer than %s as JSON, so %s cannot be read: the "
		    "primaries that need %s fail",
		    k->too_large, k->too_large == 1 ? "is" : "are",
		    STREAM_MAX_TEXT, k->too_large == 1 ? "it" : "they",
		    k->too_large == 1 ? "it" : "them");
	reportfd_unready(
	    report, k->name, k->too_large > 0 ? buf_str(&b) : NULL);
	buf_release(&b);
}

void
notices_too_large(
    struct notices *n, const struct cache *store, struct reportfd *report)
{
	if (!report->ready)
		return;
	if (n->too_large == NULL)
		n->too_large =
		    mem_zalloc((store->kind_count + 1) * sizeof(*n->too_large));
	for (size_t i = 0; i < store->kind_count; i++) {
		if (n->too_large[i] == store->kinds[i]->too_large)
			continue;
		n->too_large[i] = store->kinds[i]->too_large;
		tell_too_large(store->kinds[i], report);
	}
}

void
notices_release(struct notices *n)
{
	free(n->too_large);
	n->too_large = NULL;
}

/* kpipe knows whether the kernel did it, for memory. */
void
notices_kills(struct notices *n, struct reportfd *report)
{
	struct evaluator_kills kills = evaluator_kills();
	struct buf b = BUF_INIT;

	if (kills.count == n->kills || !report->ready)
		return;
	reportfd_count(&b, "kills", kills.count);
	reportfd_count(&b, "peakKiB", kills.peak_kib);
	if (reportfd_now(report, "worker", buf_span(&b)) == 0)
		n->kills = kills.count;
	buf_release(&b);
}
