/*
 * kwhy: the story of one object, from a recording.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "process/file.h"
#include "process/log.h"
#include "process/opt.h"
#include "record/reading.h"
#include "tale.h"

static const struct opt table[] = {OPT_END};

static const struct opt_tool tool = {"kwhy",
    "KIND NAMESPACE/NAME [RECORDING]...",
    "Tell what happened to an object, and why, from a recording.\n"
    "Without RECORDING, or for -, read standard input.",
    table};

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
	int code = 0;

	for (;;) {
		switch (reading_next(r, &line)) {
		case READING_END:
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
			if (t->out.len > 0 && put(&t->out, err) != 0)
				return -1;
			break;
		}
	}
}

static int
run(int count, char **operands, struct err *err)
{
	static const char *const input[] = {"-"};
	struct stat st;
	struct tale t;
	struct reading *r;
	int code;

	if (count < 2)
		return err_set(err, ERR_PERMANENT,
		    "operands are missing: kwhy KIND NAMESPACE/NAME "
		    "[RECORDING]...");
	if (tale_init(&t, operands[0], operands[1], err) != 0)
		return -1;
	r = count == 2 ? reading_new(input, 1, err)
		       : reading_new((const char *const *)operands + 2,
			     (size_t)count - 2, err);
	if (r == NULL) {
		tale_release(&t);
		return -1;
	}
	t.named = count > 3 ||
	    (count == 3 && stat(operands[2], &st) == 0 && S_ISDIR(st.st_mode));
	code = read_all(&t, r, err);
	if (code >= 0 && t.told == 0) {
		log_error("nothing of %s %s is in the recording", operands[0],
		    operands[1]);
		code = 1;
	}
	tale_release(&t);
	reading_free(r);
	if (code < 0 && err->kind == ERR_NONE)
		return 0; /* the reader is gone */
	return code;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
