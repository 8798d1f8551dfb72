#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <jq.h>

#include "base/array.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "language/message.h"
#include "language/sees.h"
#include "language/source.h"
#include "libjq/jqcompile.h"
#include "process/file.h"
#include "process/log.h"
#include "program/evaluator.h"
#include "program/natives.h"
#include "program/run.h"
#include "program/zones.h"
#include "trace/trail.h"

enum {
	DEFAULT_TIME_MS = 1000,
	DEFAULT_MEMORY = 256 << 20,
	STACK_BYTES = 112 << 20 /* Linux keeps 128 MiB free below a stack */
};

const char *const program_names[PROGRAM_CALLS] = {"desired", "status",
    "finalize", "requeue", "settled", "events", "plan", "_map"};

/* libjq frees and compares deep trees by recursion. */
static void
raise_stack(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_STACK, &r) != 0 || r.rlim_cur == RLIM_INFINITY ||
	    r.rlim_cur >= STACK_BYTES)
		return;
	r.rlim_cur = r.rlim_max < STACK_BYTES ? r.rlim_max : STACK_BYTES;
	setrlimit(RLIMIT_STACK, &r);
}

void
program_init(void)
{
	jqcompile_init();
	zones_init();
	clearenv();
	/* UTC0 needs no file of time zones. libjq would read ~/.jq. */
	mem_setenv("TZ", "UTC0");
	mem_setenv("HOME", "/dev/null");
	tzset();
	raise_stack();
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

/* The value for a handler of `catch`: an error of the author unchanged, of jq's
 * own errors only text without values. */
static jv
caught(const struct program *p, jv message)
{
	struct buf text = BUF_INIT;
	jv result;

	if (jv_get_kind(message) != JV_KIND_STRING ||
	    (jv_is_valid(p->raised) &&
		jv_equal(jv_copy(message), jv_copy(p->raised))))
		return message;
	message_cut(&text, jvtext_span(message), &p->source);
	jv_free(message);
	result = jv_string_sized(text.data, (int)text.len);
	buf_release(&text);
	return result;
}

/* `debug`: [name, argument] of a _call. */
static void
on_call(void *arg, jv request)
{
	struct program *p = arg;
	jv name = jv_array_get(jv_copy(request), 0);
	jv x;

	jv_free(p->reply);
	p->reply = jv_invalid();
	if (p->trail != NULL && trail_note(p->trail, request)) {
		jv_free(name);
		jv_free(request);
		return;
	}
	x = jv_array_get(request, 1);
	if (span_is(jvtext_span(name), "error") ||
	    span_is(jvtext_span(name), "refuse")) {
		jv_free(p->raised);
		p->author_raised = span_is(jvtext_span(name), "error");
		p->raised = natives_error_text(x);
		p->reply = jv_copy(p->raised);
	} else if (p->source.debugs && span_is(jvtext_span(name), "debug")) {
		debugs_add(&p->debugs, request, run_name(p, p->running));
	} else if (span_is(jvtext_span(name), "caught")) {
		p->reply = caught(p, x);
	} else {
		p->reply = natives_call(jvtext_span(name), x, &p->random);
		/* Our own messages contain no values, so they pass like the
		 * author's. */
		if (!jv_is_valid(p->reply)) {
			jv_free(p->raised);
			p->author_raised = false;
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
	return jqcompile_state(&(struct jqcompile_callbacks){
	    on_call, on_reply, on_compile_error, p});
}

/* Appends the switch between the functions to the text; returns a mark to cut
 * at. */
static size_t
add_switch(struct program *p)
{
	size_t mark = p->source.text.len;
	struct buf *t = &p->source.text;

	if (p->defines[PROGRAM_MAP]) {
		buf_adds(t, ".input | _map\n");
		return mark;
	}
	buf_adds(t, ".call as $call | .input |");
	for (int i = 0; i < PROGRAM_MAP; i++)
		if (p->defines[i])
			buf_addf(t, " if $call == %d then %s else", i,
			    program_names[i]);
	buf_adds(t, " error(\"no such function\")");
	for (int i = 0; i < PROGRAM_MAP; i++)
		if (p->defines[i])
			buf_adds(t, " end");
	buf_addc(t, '\n');
	return mark;
}

static int
compile(struct program *p, jq_state **jq, struct err *err)
{
	size_t mark;
	int compiled;

	*jq = new_state(p);
	if (*jq == NULL)
		return err_set(err, ERR_TRANSIENT, "cannot start libjq");
	mark = add_switch(p);
	buf_reset(&p->complaints);
	compiled = jqcompile(*jq, buf_str(&p->source.text));
	buf_truncate(&p->source.text, mark);
	if (compiled)
		return 0;
	jq_teardown(jq);
	*jq = NULL;
	return err_set(err, ERR_PERMANENT, "%s: does not compile", p->name);
}

int
program_compile(struct program *p, struct err *err)
{
	return compile(p, &p->jq, err);
}

int
program_compile_traced(struct program *p, struct err *err)
{
	if (source_trace(&p->source, err) != 0)
		return -1;
	return compile(p, &p->traced, err);
}

/* The line number in a message of the compiler, 0: none. */
static int
complaint_line(const char *text)
{
	const char *at = strstr(text, "<top-level>, line ");

	return at == NULL ? 0 : (int)strtol(at + 18, NULL, 10);
}

/* The first message with a line; "2 compile errors" does not count. */
static const char *
first_complaint(const struct program *p)
{
	const char *end = p->complaints.data + p->complaints.len;
	const char *first = NULL;

	for (const char *c = p->complaints.data; c != NULL && c < end;
	     c += strlen(c) + 1)
		if (first == NULL &&
		    (complaint_line(c) > 0 ||
			strstr(c, "compile error") == NULL))
			first = c;
	return first;
}

static void
cut_out(struct buf *text, const char *what)
{
	const char *found = strstr(buf_str(text), what);
	size_t n = strlen(what), at;

	if (found == NULL)
		return;
	at = (size_t)(found - text->data);
	memmove(text->data + at, found + n, text->len - at - n);
	buf_truncate(text, text->len - n);
}

/* jq's message as FILE:LINE: message. */
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

/* Notes the places for errors that jq does not report. */
static void
note_places(struct program *p)
{
	for (int i = 0; i < PROGRAM_MAP; i++) {
		struct source_def d =
		    source_find_entry(&p->source, program_names[i]);

		if (p->defines[i])
			buf_addf(&p->places[i], "%s:%d: %s",
			    file_base(d.file->path),
			    d.file->lex.tokens[d.def->from].line,
			    program_names[i]);
	}
	if (p->defines[PROGRAM_MAP])
		buf_addf(&p->places[PROGRAM_MAP], "%s: %s", file_base(p->name),
		    p->expression);
}

/* Logs that `debug` does nothing, for users who look for its lines. */
static void
say_debug(const struct program *p)
{
	int line;
	const struct source_file *f = source_debug(&p->source, &line);

	if (f != NULL && !p->source.debugs)
		log_info("%s:%d: debug prints nothing without "
			 "--clock=input or --debug-values",
		    f->path, line);
}

static int
compile_first(struct program *p, struct err *err)
{
	const char *complaint;

	if (source_compose(&p->source, err) != 0)
		return -1;
	for (int i = 0; i < PROGRAM_MAP; i++)
		p->defines[i] = !p->defines[PROGRAM_MAP] &&
		    source_find_entry(&p->source, program_names[i]).def != NULL;
	if (!p->defines[PROGRAM_MAP] && program_check_functions(p, err) != 0)
		return -1;
	if (!p->defines[PROGRAM_MAP] && !p->defines[PROGRAM_DESIRED])
		return err_set(err, ERR_PERMANENT,
		    "%s: does not define `desired`", p->name);
	if (!p->defines[PROGRAM_MAP])
		program_warn_twice(p);
	looks_find(&p->looks, &p->source);
	note_places(p);
	say_debug(p);
	p->needs_zones = natives_need_zones(buf_span(&p->source.text));
	if (program_compile(p, err) == 0)
		return 0;
	complaint = first_complaint(p);
	return complaint ? say_complaint(p, complaint, err) : -1;
}

static int
check_reads(const struct program *p, enum program_call call, struct err *err)
{
	static const struct {
		unsigned flag;
		const char *name;
	} fields[] = {
	    {PROGRAM_READS_OWNED, "owned"}, {PROGRAM_READS_NOW, "now"}};

	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct source_file *f;
		int line;

		if (!(p->desired_reads & fields[i].flag) &&
		    sees_field(&p->source, program_names[call], fields[i].name,
			&f, &line))
			return err_set(err, ERR_PERMANENT,
			    "%s:%d: %s reads .%s, which desiredReads in "
			    "watches.yaml does not list",
			    f->path, line, program_names[call], fields[i].name);
	}
	return 0;
}

static void
note_sees(struct program *p)
{
	int line;

	p->prints_debugs =
	    p->shows_debugs && source_debug(&p->source, &line) != NULL;
	for (int i = 0; i < PROGRAM_MAP; i++)
		if (p->defines[i])
			sees_find(&p->sees[i], &p->source, program_names[i]);
}

static struct program *
new_program(const char *name, const struct program_options *options)
{
	struct program *p = mem_zalloc(sizeof(*p));

	p->name = mem_strdup(name);
	p->desired_reads = options->desired_reads;
	p->time_limit_ms =
	    options->time_limit_ms ? options->time_limit_ms : DEFAULT_TIME_MS;
	p->memory_limit =
	    options->memory_limit ? options->memory_limit : DEFAULT_MEMORY;
	p->expression =
	    options->expression != NULL ? options->expression : "map";
	p->reply = jv_invalid();
	p->raised = jv_invalid();
	source_init(&p->source);
	p->source.debugs = p->shows_debugs = options->debugs;
	run_register(p);
	return p;
}

void
program_spare_all(void)
{
	for (uint32_t i = 0; i < evaluator.program_count; i++)
		if (evaluator.programs[i] != NULL)
			evaluator.programs[i]->spare = true;
}

/* NULL: there is none. */
static struct program *
take_spare(
    const char *name, bool expression, const struct program_options *options)
{
	for (uint32_t i = 0; i < evaluator.program_count; i++) {
		struct program *p = evaluator.programs[i];

		if (p == NULL || !p->spare || strcmp(p->name, name) != 0 ||
		    p->defines[PROGRAM_MAP] != expression ||
		    (expression &&
			strcmp(p->expression,
			    options->expression != NULL ? options->expression
							: "map") != 0) ||
		    p->desired_reads != options->desired_reads ||
		    p->shows_debugs != options->debugs)
			continue;
		p->spare = false;
		return p;
	}
	return NULL;
}

struct program *
program_load(
    const char *path, const struct program_options *options, struct err *err)
{
	struct program *p = take_spare(path, false, options);

	if (p != NULL)
		return p;
	p = new_program(path, options);
	if (source_add_file(&p->source, path, options->library_dirs, err) !=
		0 ||
	    compile_first(p, err) != 0 ||
	    check_reads(p, PROGRAM_DESIRED, err) != 0 ||
	    (p->defines[PROGRAM_PLAN] &&
		check_reads(p, PROGRAM_PLAN, err) != 0)) {
		program_free(p);
		return NULL;
	}
	note_sees(p);
	return p;
}

struct program *
program_load_expression(const char *name, const char *text,
    const struct program_options *options, struct err *err)
{
	struct program *p = take_spare(name, true, options);

	if (p != NULL)
		return p;
	p = new_program(name, options);
	p->defines[PROGRAM_MAP] = true;
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
	run_forget(p);
	if (p->jq != NULL)
		jq_teardown(&p->jq);
	if (p->traced != NULL)
		jq_teardown(&p->traced);
	jv_free(p->reply);
	jv_free(p->raised);
	buf_release(&p->complaints);
	for (int i = 0; i < PROGRAM_CALLS; i++) {
		buf_release(&p->places[i]);
		sees_release(&p->sees[i]);
	}
	textlist_release(&p->looks.members);
	textlist_release(&p->looks.wholes);
	debugs_release(&p->debugs);
	source_release(&p->source);
	free(p->name);
	free(p);
}

bool
program_defines(const struct program *p, enum program_call call)
{
	return p->defines[call];
}

typedef bool sees_fn(const struct sees *sees, const char *name);

static unsigned
calls_that_see(const struct program *p, sees_fn *see, const char *name)
{
	unsigned calls = 0;

	for (int i = 0; i < PROGRAM_MAP; i++)
		if (p->defines[i] && see(&p->sees[i], name))
			calls |= 1u << i;
	return calls;
}

unsigned
program_sees(const struct program *p, const char *member)
{
	return calls_that_see(p, sees_member, member);
}

unsigned
program_sees_owned(const struct program *p, const char *kind)
{
	return calls_that_see(p, sees_owned, kind);
}

bool
program_looks_into(const struct program *p, struct span member)
{
	return textlist_has(&p->looks.members, member.p, member.n);
}

bool
program_inspects(const struct program *p, struct span object)
{
	return textlist_has(&p->looks.wholes, object.p, object.n);
}

bool
program_prints_debugs(const struct program *p)
{
	return p->prints_debugs;
}
