#include "kubelet/podprocess.h"

#include <string.h>

#include "type/objectmeta.h"

enum { COMMAND_MAX = 1024, END_OF_TRANSMISSION = 4 };

bool
podprocess_read(struct podprocess *p, struct request *r, const struct node *pod,
    struct span container)
{
	struct span *words =
	    arena_alloc(&r->arena, COMMAND_MAX * sizeof(*words));

	*p = (struct podprocess){
	    .request = r,
	    .pod = pod,
	    .container = container,
	    .attach = span_is(r->subresource, "attach"),
	    .in = request_flag(r, "stdin"),
	    .out = request_flag(r, "stdout"),
	    .tty = request_flag(r, "tty"),
	    .command = words,
	    .command_n = request_params(r, "command", words, COMMAND_MAX),
	};
	/* A terminal has one output. */
	p->err = !p->tty && request_flag(r, "stderr");
	return p->in || p->out || request_flag(r, "stderr");
}

/* ---- output ---- */

static void
say(struct podprocess *p, enum stream s, struct span bytes)
{
	if (p->ended || bytes.n == 0)
		return;
	if (p->tty && p->out) {
		/* A terminal needs a carriage return at every end of a line. */
		struct buf b = BUF_INIT;

		for (size_t i = 0; i < bytes.n; i++) {
			if (bytes.p[i] == '\n')
				buf_addc(&b, '\r');
			buf_addc(&b, bytes.p[i]);
		}
		p->output.write(p->output.arg, STREAM_OUT, buf_span(&b));
		buf_release(&b);
	} else if (s == STREAM_OUT ? p->out : p->err)
		p->output.write(p->output.arg, s, bytes);
}

/* ---- the status ---- */

static struct node *
status(struct arena *a, const char *result)
{
	struct node *s = tree_object(a);

	tree_put(a, s, "metadata", tree_object(a));
	tree_put(a, s, "status", tree_str(a, result));
	return s;
}

/* A failure with one cause. */
static struct node *
failure(struct arena *a, struct span message, const char *reason,
    const char *cause, struct span detail)
{
	struct node *s = status(a, "Failure"), *c = tree_object(a),
		    *list = tree_array(a);

	tree_put(a, s, "message", tree_string(a, message));
	tree_put(a, s, "reason", tree_str(a, reason));
	if (cause != NULL)
		tree_put(a, c, "reason", tree_str(a, cause));
	tree_put(a, c, "message", tree_string(a, detail));
	tree_append(a, list, c);
	tree_put(a, tree_make(a, s, "details"), "causes", list);
	return s;
}

/* Sends the status, and ends the process. */
static void
finish(struct podprocess *p, struct node *s)
{
	struct buf b = BUF_INIT;

	if (p->ended)
		return;
	if (p->form == STATUS_TEXT)
		buf_addspan(&b, tree_text(tree_get(s, "message")));
	else
		tree_write(&b, s);
	if (b.len > 0)
		p->output.write(p->output.arg, STREAM_STATUS, buf_span(&b));
	buf_release(&b);
	if (p->ended) /* the connection broke */
		return;
	podprocess_stop(p);
	p->output.end(p->output.arg);
}

/* Like fmt prints a list. */
static struct span
command_text(const struct podprocess *p)
{
	struct buf b = BUF_INIT;
	struct span text;

	for (size_t i = 0; i < p->command_n; i++) {
		if (i > 0)
			buf_addc(&b, ' ');
		buf_addspan(&b, p->command[i]);
	}
	text = arena_span(&p->request->arena, buf_span(&b));
	buf_release(&b);
	return text;
}

static void
exit_with(struct podprocess *p)
{
	struct arena *a = &p->request->arena;
	int code = (int)p->run.exit_code;
	struct span why;

	if (code == 0) {
		finish(p, status(a, "Success"));
		return;
	}
	if (p->form == STATUS_V5)
		why = arena_printf(
		    a, "command terminated with exit code %d", code);
	else
		why = arena_printf(a,
		    "error executing command [%.*s], exit code %d",
		    SPAN_ARG(command_text(p)), code);
	finish(p,
	    failure(a,
		arena_printf(a,
		    "command terminated with non-zero exit code: %.*s",
		    SPAN_ARG(why)),
		"NonZeroExitCode", "ExitCode", arena_printf(a, "%d", code)));
}

/* An error of the container runtime, with the prefixes of the kubelet and the
 * API server. */
static void
cannot_run(struct podprocess *p, struct span why)
{
	static const char prefix[] = "Internal error occurred: ";
	struct arena *a = &p->request->arena;
	struct span cause =
	    arena_printf(a, "%serror executing command in container: %.*s",
		p->form == STATUS_V5 ? prefix : "", SPAN_ARG(why));
	struct node *s =
	    failure(a, arena_printf(a, "%s%.*s", prefix, SPAN_ARG(cause)),
		"InternalError", NULL, cause);

	tree_put(a, s, "code", tree_int(a, 500));
	finish(p, s);
}

/* 64 hexadecimal digits, as containerd makes them. */
static struct span
some_id(struct arena *a)
{
	struct buf b = BUF_INIT;
	struct span id;

	while (b.len < 64) {
		struct span uuid = objectmeta_uuid(a);

		for (size_t i = 0; i < uuid.n && b.len < 64; i++)
			if (uuid.p[i] != '-')
				buf_addc(&b, uuid.p[i]);
	}
	id = arena_span(a, buf_span(&b));
	buf_release(&b);
	return id;
}

/* ---- its life ---- */

static void
timed_out(void *arg)
{
	exit_with(arg);
}

/* All that it reads has ended, or it reads nothing. */
static void
run_out(struct podprocess *p)
{
	if (p->ended || p->shut_after)
		return;
	p->shut_after = true;
	if (p->run.ms > 0)
		loop_after(
		    p->request->api->loop, &p->timer, p->run.ms, timed_out, p);
	else
		exit_with(p);
}

static void
log_added(void *arg, struct span lines)
{
	say(arg, STREAM_OUT, lines);
}

static void
log_ended(void *arg)
{
	struct podprocess *p = arg;

	p->run = (struct script_run){.exit_code = 0};
	exit_with(p);
}

/* Prints the lines that come from now on. */
static void
follow(struct podprocess *p)
{
	p->follower = (struct follower){
	    .request = p->request,
	    .container = p->container,
	    .options = {.follow = true, .limit = -1, .since_us = INT64_MIN},
	    .on_lines = log_added,
	    .on_end = log_ended,
	    .arg = p,
	};
	follower_start(&p->follower, p->pod);
}

static void
run(struct podprocess *p)
{
	say(p, STREAM_OUT, p->run.out);
	say(p, STREAM_ERR, p->run.err);
	if (!p->run.echo || !p->in || p->in_ended)
		run_out(p);
}

void
podprocess_start(struct podprocess *p, enum status_form form,
    const struct podprocess_output *output)
{
	struct arena *a = &p->request->arena;
	struct err err = ERR_INIT;
	enum script_found found;

	p->form = form;
	p->output = *output;
	p->started = true;
	if (p->attach)
		found = script_attach(a, p->pod, p->container, &p->run, &err);
	else
		found = script_exec(a, p->pod, p->container, p->command,
		    p->command_n, &p->run, &err);
	if (found == SCRIPT_BAD)
		cannot_run(p, arena_span(a, span_str(err.message)));
	else if (found == SCRIPT_FOUND)
		run(p);
	else if (p->attach)
		follow(p);
	else {
		/* No rule is for this command: it is not in the container. */
		struct span name = p->command_n > 0 ? p->command[0] : SPAN_NONE,
			    why;

		if (p->command_n == 0)
			why = span_str("args must not be empty");
		else if (span_find(name, '/') != NULL)
			why = arena_printf(a,
			    "unable to start container process: exec: "
			    "\"%.*s\": stat %.*s: no such file or directory",
			    SPAN_ARG(name), SPAN_ARG(name));
		else
			why = arena_printf(a,
			    "unable to start container process: exec: "
			    "\"%.*s\": executable file not found in $PATH",
			    SPAN_ARG(name));
		cannot_run(p,
		    arena_printf(a,
			"failed to exec in container: failed to start exec "
			"\"%.*s\": OCI runtime exec failed: exec failed: %.*s: "
			"unknown",
			SPAN_ARG(some_id(a)), SPAN_ARG(why)));
	}
}

void
podprocess_input(struct podprocess *p, struct span bytes)
{
	bool last = false;
	const char *eot;

	if (!p->started || p->ended || !p->in || !p->run.echo || p->in_ended ||
	    bytes.n == 0)
		return;
	/* On a terminal this byte ends the input. */
	eot = p->tty ? span_find(bytes, END_OF_TRANSMISSION) : NULL;
	if (eot != NULL) {
		bytes.n = (size_t)(eot - bytes.p);
		last = true;
	}
	say(p, STREAM_OUT, bytes);
	if (last)
		podprocess_input_end(p);
}

void
podprocess_input_end(struct podprocess *p)
{
	if (p->in_ended)
		return;
	p->in_ended = true;
	if (p->started && p->run.echo)
		run_out(p);
}

void
podprocess_stop(struct podprocess *p)
{
	p->ended = true;
	if (!p->started)
		return;
	loop_cancel(p->request->api->loop, &p->timer);
	if (p->follower.hooked)
		follower_stop(&p->follower);
}
