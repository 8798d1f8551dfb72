#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <jq.h>

#include "digest.h"
#include "jvtext.h"
#include "bounds.h"
#include "mem.h"
#include "message.h"
#include "natives.h"
#include "run.h"
#include "source.h"

enum { DEFAULT_TIME_MS = 1000, DEFAULT_MEMORY = 256 << 20 };

struct program {
	char *name; /* owned: the file, for messages */
	struct source source;
	unsigned desired_reads;
	struct bounds bounds;
	bool defines[PROGRAM_CALLS];
	jq_state *jq;	       /* NULL: to be compiled again */
	jv reply;	       /* of _call, until `input` fetches it */
	jv raised;	       /* what error() of the program was last given */
	struct buf complaints; /* of the compiler, NUL after each */
};

static const char *const call_names[PROGRAM_CALLS] = {
    "desired", "status", "finalize", "requeue", "settled", "events", "_map"};

static struct program_losses losses;

struct program_losses
program_losses(void)
{
	return losses;
}

void
program_init(void)
{
	clearenv();
	/* UTC0 needs no file of time zones. libjq would read ~/.jq. */
	setenv("TZ", "UTC0", 1);
	setenv("HOME", "/dev/null", 1);
	tzset();
	bounds_init();
	digest_init();
}

static void
on_compile_error(void *arg, jv message)
{
	struct program *p = arg;

	if (jv_get_kind(message) == JV_KIND_INVALID)
		message = jv_invalid_get_msg(message);
	if (jv_get_kind(message) == JV_KIND_STRING) {
		buf_addspan(&p->complaints, jvtext_span(message));
		buf_addc(&p->complaints, '\0');
	}
	jv_free(message);
}

/* `debug`: [name, argument] of a _call. */
static void
on_call(void *arg, jv request)
{
	struct program *p = arg;
	jv name = jv_array_get(jv_copy(request), 0);
	jv x = jv_array_get(request, 1);

	jv_free(p->reply);
	if (span_is(jvtext_span(name), "error")) {
		jv_free(p->raised);
		p->raised = natives_error_text(x);
		p->reply = jv_copy(p->raised);
	} else {
		bounds_pause();
		p->reply = natives_call(jvtext_span(name), x);
		bounds_resume();
		/* Our own messages hold no values: like the author's. */
		if (!jv_is_valid(p->reply)) {
			jv_free(p->raised);
			p->raised = jv_invalid_get_msg(jv_copy(p->reply));
		}
	}
	jv_free(name);
}

/* `input`: its result. */
static jv
on_reply(jq_state *jq, void *arg)
{
	struct program *p = arg;
	jv reply = p->reply;

	(void)jq;
	p->reply = jv_invalid();
	return reply;
}

static jq_state *
new_state(struct program *p)
{
	jq_state *jq = jq_init();

	if (jq == NULL)
		return NULL;
	/* At once: 1.6 leaves both uninitialised. */
	jq_set_debug_cb(jq, on_call, p);
	jq_set_input_cb(jq, on_reply, p);
	jq_set_error_cb(jq, on_compile_error, p);
	/* 1.6 aborts if they are missing. */
	jq_set_attr(jq, jv_string("JQ_ORIGIN"), jv_string("/dev/null"));
	jq_set_attr(jq, jv_string("PROGRAM_ORIGIN"), jv_string("/dev/null"));
	jq_set_attr(jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
	return jq;
}

/* Appends the switch between the functions to the text; a mark to cut at. */
static size_t
add_switch(struct program *p)
{
	size_t mark = p->source.text.len;
	struct buf *t = &p->source.text;

	if (p->defines[PROGRAM_MAP]) {
		buf_adds(t, "); .input | _map\n");
		return mark;
	}
	buf_adds(t, ".call as $call | .input |");
	for (int i = 0; i < PROGRAM_MAP; i++)
		if (p->defines[i])
			buf_addf(t, " if $call == %d then %s else", i,
			    call_names[i]);
	buf_adds(t, " error(\"no such function\")");
	for (int i = 0; i < PROGRAM_MAP; i++)
		if (p->defines[i])
			buf_adds(t, " end");
	buf_addc(t, '\n');
	return mark;
}

static int
compile(struct program *p, struct err *err)
{
	size_t mark;
	int compiled;

	p->jq = new_state(p);
	if (p->jq == NULL)
		return err_set(err, ERR_TRANSIENT, "cannot start libjq");
	mark = add_switch(p);
	buf_reset(&p->complaints);
	compiled = jq_compile(p->jq, buf_str(&p->source.text));
	buf_truncate(&p->source.text, mark);
	if (compiled)
		return 0;
	jq_teardown(&p->jq);
	p->jq = NULL;
	return err_set(err, ERR_PERMANENT, "%s: does not compile", p->name);
}

/* The line that a complaint of the compiler names, 0: none. */
static int
complaint_line(const char *text)
{
	const char *at = strstr(text, "<top-level>, line ");

	return at == NULL ? 0 : (int)strtol(at + 18, NULL, 10);
}

/* Which function of the switch does the complaint say is not defined? -1 if
 * it is about something else. */
static int
missing_call(const struct program *p, const char *complaint)
{
	if (complaint_line(complaint) <= p->source.lines)
		return -1;
	for (int i = 0; i < PROGRAM_MAP; i++) {
		char text[40];

		snprintf(
		    text, sizeof(text), "%s/0 is not defined", call_names[i]);
		if (strstr(complaint, text) != NULL)
			return i;
	}
	return -1;
}

/*
 * Notes which functions of the switch are not defined, which is how jq tells
 * what the author defines. Returns the first complaint about anything else,
 * NULL if there is none; "2 compile errors", without a line, is no complaint.
 */
static const char *
read_complaints(struct program *p)
{
	const char *end = p->complaints.data + p->complaints.len;
	const char *first = NULL;

	for (const char *c = p->complaints.data; c != NULL && c < end;
	     c += strlen(c) + 1) {
		int i = missing_call(p, c);

		if (i >= 0)
			p->defines[i] = false;
		else if (first == NULL &&
		    (complaint_line(c) > 0 ||
			strstr(c, "compile error") == NULL))
			first = c;
	}
	return first;
}

static void
cut_out(struct buf *text, const char *what)
{
	char *at = strstr(buf_str(text), what);
	size_t n = strlen(what);

	if (at == NULL)
		return;
	memmove(at, at + n, text->len - (size_t)(at - text->data) - n);
	buf_truncate(text, text->len - n);
}

/* jq's complaint as FILE:LINE: message. */
static int
say_complaint(struct program *p, const char *c, struct err *err)
{
	const char *end = strstr(c, " at <top-level>");
	const struct source_file *f;
	struct buf text = BUF_INIT;
	int line = 0;

	buf_add(&text, c, end ? (size_t)(end - c) : strcspn(c, "\n"));
	cut_out(&text, "jq: error: ");
	cut_out(&text, "error: ");
	cut_out(&text, " (Unix shell quoting issues?)");
	f = source_locate(&p->source, complaint_line(c), &line);
	if (f == NULL && p->source.count > 0) {
		f = &p->source.files[p->source.count - 1];
		line = f->lines;
	}
	if (f != NULL)
		err_set(err, ERR_PERMANENT, "%s:%d: %s", f->path, line,
		    buf_str(&text));
	else
		err_set(err, ERR_PERMANENT, "%s: %s", p->name, buf_str(&text));
	buf_release(&text);
	return -1;
}

static int
compile_first(struct program *p, struct err *err)
{
	const char *complaint;

	if (compile(p, err) == 0)
		return 0;
	complaint = read_complaints(p);
	if (complaint != NULL)
		return say_complaint(p, complaint, err);
	if (!p->defines[PROGRAM_MAP] && !p->defines[PROGRAM_DESIRED])
		return err_set(err, ERR_PERMANENT,
		    "%s: does not define `desired`", p->name);
	if (p->complaints.len == 0 || compile(p, err) == 0)
		return p->jq != NULL ? 0 : -1;
	complaint = read_complaints(p);
	return complaint ? say_complaint(p, complaint, err) : -1;
}

static int
check_reads(const struct program *p, struct err *err)
{
	static const struct {
		unsigned flag;
		const char *name;
	} fields[] = {
	    {PROGRAM_READS_OWNED, "owned"}, {PROGRAM_READS_NOW, "now"}};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct source_file *f;
		int line;

		if (!(p->desired_reads & fields[i].flag) &&
		    source_reads(
			&p->source, "desired", fields[i].name, &f, &line))
			return err_set(err, ERR_PERMANENT,
			    "%s:%d: desired reads .%s, which desiredReads in "
			    "watches.yaml does not list",
			    f->path, line, fields[i].name);
	}
	return 0;
}

static struct program *
new_program(const char *name, const struct program_options *options)
{
	struct program *p = mem_zalloc(sizeof(*p));

	p->name = mem_strdup(name);
	p->desired_reads = options->desired_reads;
	p->bounds.time_ms =
	    options->time_limit_ms ? options->time_limit_ms : DEFAULT_TIME_MS;
	p->bounds.memory =
	    options->memory_limit ? options->memory_limit : DEFAULT_MEMORY;
	p->reply = jv_invalid();
	p->raised = jv_invalid();
	source_init(&p->source);
	return p;
}

struct program *
program_load(
    const char *path, const struct program_options *options, struct err *err)
{
	struct program *p = new_program(path, options);

	for (int i = 0; i < PROGRAM_MAP; i++)
		p->defines[i] = true;
	if (source_add_file(&p->source, path, options->library_dirs, err) !=
		0 ||
	    compile_first(p, err) != 0 || check_reads(p, err) != 0) {
		program_free(p);
		return NULL;
	}
	return p;
}

struct program *
program_load_expression(const char *name, const char *text,
    const struct program_options *options, struct err *err)
{
	struct program *p = new_program(name, options);

	p->defines[PROGRAM_MAP] = true;
	source_add_line(&p->source, "def _map: (");
	if (source_add_expression(&p->source, name, text, err) != 0 ||
	    compile_first(p, err) != 0) {
		program_free(p);
		return NULL;
	}
	return p;
}

void
program_free(struct program *p)
{
	if (p == NULL)
		return;
	if (p->jq != NULL)
		jq_teardown(&p->jq);
	jv_free(p->reply);
	jv_free(p->raised);
	buf_release(&p->complaints);
	source_release(&p->source);
	free(p->name);
	free(p);
}

bool
program_defines(const struct program *p, enum program_call call)
{
	return p->defines[call];
}

/* What one call gave. Changed by work that may be left by a jump. */
struct run {
	struct program *p;
	jv input;
	jv first, second;
	enum jvtext_size size;
};

static void
work(void *arg)
{
	struct run *r = arg;

	jq_start(r->p->jq, r->input, 0);
	r->first = jq_next(r->p->jq);
	if (!jv_is_valid(r->first))
		return;
	r->size = jvtext_measure(r->first);
	if (r->size != JVTEXT_FITS) {
		jv_free(r->first);
		r->first = jv_null();
	}
	r->second = jq_next(r->p->jq);
}

/* Gives up what a jump left behind. */
static void
drop_state(struct program *p, enum bounds_end end)
{
	p->reply = jv_invalid();
	p->raised = jv_invalid();
	/* libjq asks for memory before it changes anything; so after a lack
	 * of memory its own stack is whole, and only values in hand are lost.
	 * Elsewhere it may be in the middle of things. */
	if (end == BOUNDS_BROKEN_MEMORY)
		jq_teardown(&p->jq);
	p->jq = NULL;
	losses.bytes += bounds_growth();
}

static void
nothing(void *arg)
{
	struct run *r = arg;

	jv_free(r->first);
	jv_free(r->second);
	/* Frees what the state still holds, perhaps much and deep. */
	jq_start(r->p->jq, jv_null(), 0);
}

/* A state that was halted: empty it now, not at the next call. */
static void
stop(struct run *r)
{
	const struct bounds most = {10000, SIZE_MAX / 8};
	enum bounds_end end = bounds_run(&most, NULL, nothing, r);

	if (end > BOUNDS_MEMORY)
		drop_state(r->p, end);
}

static int
say_limit(const struct program *p, enum bounds_end end, const char *function,
    const char *about, struct err *err)
{
	losses.calls++;
	switch (end) {
	case BOUNDS_TIME:
	case BOUNDS_BROKEN_TIME:
		return err_set(err, ERR_PERMANENT,
		    "%s of %s took more than %g s of CPU time and was stopped",
		    function, about, (double)p->bounds.time_ms / 1000);
	case BOUNDS_MEMORY:
	case BOUNDS_BROKEN_MEMORY:
		return err_set(err, ERR_PERMANENT,
		    "%s of %s took more than %zu MiB of memory and was stopped",
		    function, about, p->bounds.memory >> 20);
	default:
		return err_set(err, ERR_PERMANENT,
		    "%s of %s nested too deep and was stopped", function,
		    about);
	}
}

static int
say_error(struct program *p, jv invalid, const char *function, struct err *err)
{
	jv message = jv_invalid_get_msg(invalid);
	struct buf text = BUF_INIT;

	if (jv_get_kind(message) != JV_KIND_STRING) {
		buf_addf(&text, "%s failed: error with %s that is no text",
		    function, jv_kind_name(jv_get_kind(message)));
	} else if (jv_is_valid(p->raised) &&
	    jv_equal(jv_copy(message), jv_copy(p->raised))) {
		buf_addspan(&text, jvtext_span(message));
	} else {
		struct buf cut = BUF_INIT;

		message_cut(&cut, jvtext_span(message), &p->source);
		buf_addf(&text, "%s failed: %s", function, buf_str(&cut));
		buf_release(&cut);
	}
	err_set(err, ERR_PERMANENT, "%s", buf_str(&text));
	buf_release(&text);
	jv_free(message);
	return -1;
}

static int
judge(struct run *r, const char *function, jv *result, struct err *err)
{
	jv failed = jv_is_valid(r->first) ? r->second : r->first;

	if (!jv_is_valid(failed) && jv_invalid_has_msg(jv_copy(failed))) {
		if (jv_is_valid(r->first))
			jv_free(r->first);
		return say_error(r->p, failed, function, err);
	}
	if (jv_is_valid(r->second)) {
		jv_free(r->first);
		jv_free(r->second);
		return err_set(err, ERR_PERMANENT,
		    "%s gives more than one result", function);
	}
	if (r->size == JVTEXT_DEEP)
		err_set(err, ERR_PERMANENT,
		    "%s gives a value nested deeper than %d", function,
		    JVTEXT_DEPTH_MAX);
	else if (r->size == JVTEXT_LONG)
		err_set(err, ERR_PERMANENT,
		    "%s gives a value longer than %d bytes", function,
		    JVTEXT_BYTES_MAX);
	if (r->size != JVTEXT_FITS) {
		jv_free(r->first);
		return -1;
	}
	*result = r->first;
	return 0;
}

int
run_program(struct program *p, enum program_call call, jv input,
    const char *about, jv *result, struct err *err)
{
	const char *function = call == PROGRAM_MAP ? "map" : call_names[call];
	struct run r = {
	    p, jv_object(), jv_invalid(), jv_invalid(), JVTEXT_FITS};
	enum bounds_end end;

	*result = jv_invalid();
	if (p->jq == NULL && compile(p, err) != 0) {
		jv_free(input);
		return -1;
	}
	jv_free(p->raised);
	p->raised = jv_invalid();
	r.input = jv_object_set(r.input, jv_string("call"), jv_number(call));
	r.input = jv_object_set(r.input, jv_string("input"), input);
	end = bounds_run(&p->bounds, p->jq, work, &r);
	if (end == BOUNDS_DONE)
		return judge(&r, function, result, err);
	if (end == BOUNDS_TIME || end == BOUNDS_MEMORY)
		stop(&r);
	else
		drop_state(p, end);
	return say_limit(p, end, function, about, err);
}

unsigned
run_desired_reads(const struct program *p)
{
	return p->desired_reads;
}
