/*
 * kwhy: the story of one object, from a recording.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sought.h"
#include "base/buf.h"
#include "base/err.h"
#include "choices.h"
#include "period.h"
#include "process/file.h"
#include "process/log.h"
#include "process/opt.h"
#include "record/reading.h"
#include "tale.h"

#define WRITERS                                                      \
	"kpipe --record DIR writes one, and kwatch -f watches.yaml " \
	"--timestamps shows what is in a cluster now"

static struct opts {
	struct tale_opts tale;
	const char *namespace_, *from, *to;
	uint64_t since_ms;
} o = {.since_ms = PERIOD_SINCE_NONE};

static const struct opt_completion completion = {choices_add};

static const struct opt table[] = {
    {'l', "long", NULL, OPT_FLAG, &o.tale.whole, NULL,
	"the long form: dates, lines, versions, more values"},
    {'n', "namespace", "NAMESPACE", OPT_STRING, &o.namespace_, NULL,
	"of the object, if its name is alone"},
    {0, "changes", NULL, OPT_FLAG, &o.tale.changes, NULL,
	"only what was seen of it, not decisions and writes"},
    {0, "spec", NULL, OPT_FLAG, &o.tale.spec, NULL,
	"no statuses, and no changes of metadata"},
    {0, "from", "TIME", OPT_STRING, &o.from, NULL,
	"begin at TIME: RFC 3339, or 03:04 (UTC) of the last day, or -15m: "
	"before the end of the recording"},
    {0, "to", "TIME", OPT_STRING, &o.to, NULL, "end at TIME"},
    {0, "since", "DURATION", OPT_DURATION, &o.since_ms, NULL,
	"begin so long before the end of the recording"},
    OPT_COMPLETES(&completion), OPT_END};

static const struct opt_tool tool = {"kwhy",
    "[OPTION]... KIND NAMESPACE/NAME [RECORDING]...",
    "Tell what happened to an object, and why, from a recording.\n"
    "Without RECORDING, or for -, read standard input.",
    table};

/* ---- the story ---- */

static int
put(struct buf *out, struct err *err)
{
	int rc = file_write(STDOUT_FILENO, buf_span(out));

	buf_reset(out);
	if (rc != 0 && errno != EPIPE)
		return err_set(err, ERR_TRANSIENT,
		    "cannot write to standard output: %s", strerror(errno));
	return rc;
}

/* 0, 1: a line was bad; -1 with err, or because the reader is gone. */
static int
read_all(struct tale *t, struct reading *r, struct err *err)
{
	struct reading_line line;
	struct buf *out = t->period->out;
	int code = 0;

	for (;;) {
		switch (reading_next(r, &line)) {
		case READING_END:
			if (period_end(t->period, err) != 0 ||
			    (out->len > 0 && put(out, err) != 0))
				return -1;
			return code;
		case READING_FAILED:
			*err = line.err;
			return -1;
		case READING_BAD:
			log_warning("%s", line.err.message);
			code = line.cut ? code : 1;
			break;
		case READING_LINE:
			tale_line(t, &line);
			if (out->len > 0 && put(out, err) != 0)
				return -1;
			break;
		}
	}
}

/* Why there is no sentence about the object. */
static void
log_nothing(const struct tale *t)
{
	struct buf why = BUF_INIT;
	const char *where = "is in the recording: ";

	if (t->told > 0) {
		where = "is told: ";
		buf_addf(&why, "it has %zu sentence%s, of other times", t->told,
		    t->told > 1 ? "s" : "");
	} else if (t->met) {
		where = "is told: ";
		buf_adds(&why, "--changes or --spec leaves out what there is");
	} else {
		sought_add_others(t->sought, &why);
		if (t->sought->kinds.count == 0)
			buf_adds(&why, " (" WRITERS ")");
	}
	log_error("nothing of %.*s %.*s%s%.*s %s%s",
	    SPAN_ARG(t->sought->who.kind), SPAN_ARG(t->sought->who.namespace_),
	    t->sought->who.namespace_.n > 0 ? "/" : "",
	    SPAN_ARG(t->sought->who.name), where, buf_str(&why));
	buf_release(&why);
}

static int
tell(struct sought *sought, size_t count, const char *const *paths,
    struct period *period, struct err *err)
{
	struct reading *r = reading_new(paths, count, err);
	struct stat st;
	struct tale t;
	int code;

	if (r == NULL)
		return -1;
	tale_init(&t, o.tale, sought, period);
	t.named =
	    count > 1 || (stat(paths[0], &st) == 0 && S_ISDIR(st.st_mode));
	code = read_all(&t, r, err);
	if (code >= 0 && (t.told == 0 || period->told == 0)) {
		log_nothing(&t);
		code = 1;
	}
	tale_release(&t);
	reading_free(r);
	if (code < 0 && err->kind == ERR_NONE)
		return 0; /* the reader is gone */
	return code;
}

static int
run(int count, char **operands, struct err *err)
{
	static const char *const input[] = {"-"};
	const char *const *paths = (const char *const *)operands;
	bool joined = count > 0 && strchr(operands[0], '/') != NULL;
	int used = joined ? 1 : 2, code = -1;
	struct buf out = BUF_INIT;
	struct sought sought;
	struct period period;
	struct stat st;

	if (count == 1 && stat(operands[0], &st) == 0)
		return err_set(err, ERR_PERMANENT,
		    "%s is there, so it is taken for a recording; name the "
		    "object before it: kwhy KIND NAMESPACE/NAME %s",
		    operands[0], operands[0]);
	if (count < used)
		return err_set(err, ERR_PERMANENT,
		    "operands are missing: KIND NAMESPACE/NAME "
		    "[RECORDING]...");
	if (count == used && isatty(STDIN_FILENO))
		return err_set(err, ERR_PERMANENT,
		    "which recording? Name it behind the object: " WRITERS);
	if (sought_init(&sought, operands[0], joined ? NULL : operands[1],
		o.namespace_, err) != 0)
		return -1;
	o.tale.whole |= log_is_on(LOG_DEBUG);
	if (period_init(&period, o.from, o.to, o.since_ms, &out, err) == 0) {
		period.days = !o.tale.whole;
		code = tell(&sought, count > used ? (size_t)(count - used) : 1,
		    count > used ? paths + used : input, &period, err);
	}
	period_release(&period);
	sought_release(&sought);
	buf_release(&out);
	return code;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
