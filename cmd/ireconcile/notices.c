#include "notices.h"

#include "base/buf.h"
#include "process/log.h"
#include "program/evaluator.h"

void
notices_unproven(struct notices *n, size_t count)
{
	if (n->said_unproven && count == n->unproven)
		return;
	if (count > 0 && (!n->said_unproven || n->unproven == 0))
		log_warning("%zu objects have marks without a proof; they get "
			    "it as they are applied again",
		    count);
	else if (count == 0)
		log_info("no object has marks without a proof: start without "
			 "--accept-unproven-marks");
	n->said_unproven = true;
	n->unproven = count;
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
