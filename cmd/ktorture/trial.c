#include "trial.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/mem.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "process/clock.h"
#include "scene/backdrop.h"
#include "scene/resolve.h"
#include "scene/scenario.h"
#include "deed.h"

int kpipe_main(int argc, char **argv);

static const int64_t ms = 1000000, s = 1000000000;
enum { TRIES_MAX = 24 };

/* Work for a later time. */
enum coming_kind {
	COMING_CLUSTER,
	COMING_CLIENT,
	COMING_GO_ON, /* a process that was stopped */
	COMING_LATE   /* a request of the operator, that it has given up */
};
struct coming {
	int64_t due_ns;
	enum coming_kind kind;
	jv step;   /* owned; invalid: none; COMING_LATE: of the journal */
	pid_t pid; /* COMING_GO_ON */
};

struct play {
	struct world *w;
	const struct trial *t;
	struct deeds *deeds;
	struct backdrop *backdrop;
	jv record;	/* owned */
	jv known;	/* owned: by key, all that was ever changed */
	jv state, made; /* owned: by key, the objects; those of the operator */
	jv waiting; /* owned: a step for when its object is gone, or invalid */
	int step;
	struct coming *coming;
	size_t coming_count;
	pid_t operator_;
	int64_t died_ns; /* the operator is to start again; 0: it runs */
	unsigned deaths;
	bool ending;
	struct span killed; /* by a fault; or none */
	bool updating;	    /* the operator was told to end, and starts again */
	int64_t slow_ns;    /* controllers do nothing until then */
	struct buf saved;   /* the cluster at the beginning of the step */
	struct err err;
};

/* ---- the record ---- */

static void
note(struct play *p, jv line)
{
	p->record = jv_array_append(p->record, line);
}

static jv
number(int64_t n)
{
	return jv_number((double)n);
}

static void
come(
    struct play *p, int64_t after_ns, enum coming_kind kind, jv step, pid_t pid)
{
	p->coming = mem_grow(p->coming, p->coming_count, sizeof(*p->coming));
	p->coming[p->coming_count++] =
	    (struct coming){world_now(p->w) + after_ns, kind, step, pid};
}

static struct span
text(jv object, const char *key)
{
	return jvtext_span(jvtext_peek(object, key));
}

/* "kapply" of "kapply/0.1.0 (linux/amd64) kpipe"; kapi itself asks nobody. */
static struct span
asker(jv line)
{
	struct span agent = text(line, "userAgent");

	return agent.n > 0 ? span_cut(&agent, '/') : span_str("kapi");
}

static void
act_on_change(struct play *p, jv line)
{
	jv steps = backdrop_observe(p->backdrop,
	    jv_string_value(jvtext_peek(line, "change")),
	    jv_copy(jvtext_peek(line, "object")), world_real_us(p->w));

	jv_array_foreach(steps, i, step)
	{
		jv after = jvtext_peek(step, "afterMs");
		int64_t ns = jv_is_valid(after)
		    ? (int64_t)jv_number_value(after) * ms
		    : 0;

		if (p->slow_ns > world_now(p->w))
			ns += p->slow_ns - world_now(p->w);
		come(p, ns, COMING_CLUSTER, step, 0);
	}
	jv_free(steps);
}

/* ---- objects ---- */

/* "Deployment apps/v1 default/a", owned */
static jv
key_of(jv object)
{
	jv metadata = jvtext_peek(object, "metadata");
	struct buf b = BUF_INIT;
	jv key;

	buf_addf(&b, "%.*s %.*s %.*s/%.*s", SPAN_ARG(text(object, "kind")),
	    SPAN_ARG(text(object, "apiVersion")),
	    SPAN_ARG(text(metadata, "namespace")),
	    SPAN_ARG(text(metadata, "name")));
	key = jv_string_sized(b.data, (int)b.len);
	buf_release(&b);
	return key;
}

static bool
has(jv objects, jv object)
{
	return jv_object_has(jv_copy(objects), key_of(object));
}

/* ---- faults ---- */

static const struct still_task *
stage_of(const struct play *p, struct span name)
{
	bool worker = span_is(name, "evaluator");
	const struct still_task *found = NULL;

	for (size_t i = 0; i < p->w->still.count; i++) {
		const struct still_task *t = &p->w->still.tasks[i];

		if (!span_is(worker ? span_str("ireconcile") : name, t->name))
			continue;
		if (!worker)
			return t;
		found = t;
	}
	return found;
}

static void
act_on_process(struct play *p, const struct mishap *f)
{
	const struct still_task *t = stage_of(p, f->arg);
	struct rlimit none = {1, 1};

	if (t == NULL)
		return;
	if (f->kind->act == MISHAP_KILL || f->kind->act == MISHAP_STARVE)
		p->killed = f->arg;
	if (f->kind->act == MISHAP_KILL) {
		kill(t->pid, SIGKILL);
	} else if (f->kind->act == MISHAP_STOP) {
		kill(t->pid, SIGSTOP);
		come(p, 3 * s, COMING_GO_ON, jv_invalid(), t->pid);
	} else {
		prlimit(t->pid, RLIMIT_DATA, &none, NULL);
	}
}

/* As a node that freezes: only the server and the rest of the cluster go on. */
static void
stop_all(struct play *p, int64_t ns)
{
	for (size_t i = 0; i < p->w->still.count; i++) {
		pid_t pid = p->w->still.tasks[i].pid;

		if (pid == p->w->kapi)
			continue;
		kill(pid, SIGSTOP);
		come(p, ns, COMING_GO_ON, jv_invalid(), pid);
	}
}

static int
load(struct play *p, struct span objects, int64_t version)
{
	struct buf path = BUF_INIT;
	struct span answer;
	int status;

	buf_adds(&path, "/kapi/load");
	if (version > 0)
		buf_addf(&path, "?version=%" PRId64, version);
	status = kapiclient_ask(p->w->client, "POST", buf_str(&path),
	    KAPICLIENT_JSON, objects, &answer, &p->err);
	buf_release(&path);
	if (status > 0 && status != 200)
		err_set(&p->err, ERR_BUG, "kapi refuses to load: %.*s",
		    SPAN_ARG(answer));
	return status == 200 ? 0 : -1;
}

static int
save(struct play *p, struct buf *into)
{
	struct span answer;
	int status = kapiclient_ask(p->w->client, "GET", "/kapi/save",
	    KAPICLIENT_JSON, SPAN_NONE, &answer, &p->err);

	buf_reset(into);
	buf_addspan(into, answer);
	return status == 200 ? 0 : -1;
}

/* The last line says which version was used last. */
static int64_t
saved_version(struct play *p)
{
	static const char key[] = "\"resourceVersion\":\"";
	const char *text = buf_str(&p->saved), *last = NULL, *at = text;

	while ((at = strstr(at, key)) != NULL)
		last = at += sizeof(key) - 1;
	return last != NULL ? strtoll(last, NULL, 10) : 1;
}

static void take_change(struct play *p, jv line);

/* The objects are those of then: nobody tells of the changes. */
static void
take_restored(struct play *p)
{
	struct span rest = buf_span(&p->saved);
	jv before = p->state;

	p->state = jv_object();
	backdrop_free(p->backdrop);
	p->backdrop = backdrop_new();
	while (rest.n > 0) {
		struct err err;
		jv line = jvtext_parse(span_cut(&rest, '\n'), &err);
		jv object = jvtext_peek(line, "object");
		bool there = jv_is_valid(object) &&
		    span_is(text(line, "type"), "ADDED") &&
		    has(p->known, object);

		if (there) {
			bool was = has(before, object);

			before = jv_object_delete(before, key_of(object));
			take_change(p,
			    JV_OBJECT(jv_string("change"),
				jv_string(was ? "MODIFIED" : "ADDED"),
				jv_string("object"), jv_copy(object)));
		}
		jv_free(line);
	}
	jv_object_foreach(before, key, object)
	{
		jv_free(key);
		take_change(p,
		    JV_OBJECT(jv_string("change"), jv_string("DELETED"),
			jv_string("object"), object));
	}
	jv_free(before);
}

static void
act_on_server(struct play *p, const struct mishap *f)
{
	struct buf now = BUF_INIT;

	if (f->kind->act == MISHAP_RESTART) {
		if (save(p, &now) == 0)
			load(p, buf_span(&now), 0);
	} else if (p->saved.len > 0) {
		load(p, buf_span(&p->saved), saved_version(p));
		take_restored(p);
		/* The user does again what the server has forgotten. */
		if (p->step > 0)
			come(p, s, COMING_CLIENT,
			    jv_array_get(jv_copy(p->t->steps), p->step - 1), 0);
	}
	buf_release(&now);
}

/* The object of a request, as members of a step. */
static jv
object_step(const struct play *p, const char *what, jv request)
{
	jv step = JV_OBJECT(jv_string("do"), jv_string(what));
	static const char *const keys[] = {"namespace", "name"};
	struct span group = text(request, "group");
	struct span version = text(request, "version");
	struct buf b = BUF_INIT;

	(void)p;
	if (group.n > 0)
		buf_addf(&b, "%.*s/", SPAN_ARG(group));
	buf_addspan(&b, version);
	step = jv_object_set(
	    step, jv_string("apiVersion"), jv_string_sized(b.data, (int)b.len));
	buf_release(&b);
	step = jv_object_set(step, jv_string("resource"),
	    jv_copy(jvtext_peek(request, "resource")));
	for (size_t i = 0; i < COUNT(keys); i++)
		if (jv_is_valid(jvtext_peek(request, keys[i])))
			step = jv_object_set(step, jv_string(keys[i]),
			    jv_copy(jvtext_peek(request, keys[i])));
	return step;
}

static jv
annotated(jv step, jv value)
{
	return jv_object_set(step, jv_string("patch"),
	    JV_OBJECT(jv_string("metadata"),
		JV_OBJECT(jv_string("annotations"),
		    JV_OBJECT(jv_string("example.com/edited"), value))));
}

/* Whether the object is of that collection: "Deployment", "deployments". */
static bool
is_of(jv object, jv request)
{
	struct span kind = text(object, "kind");
	struct span plural = text(request, "resource");
	struct span version = text(object, "apiVersion"), group = version;
	jv m = jvtext_peek(object, "metadata");

	version = span_cut(&group, '/');
	return kind.n > 0 && plural.n >= kind.n &&
	    strncasecmp(kind.p, plural.p, kind.n - 1) == 0 &&
	    (group.p != NULL ? span_eq(version, text(request, "group"))
			     : text(request, "group").n == 0) &&
	    span_eq(text(m, "name"), text(request, "name")) &&
	    span_eq(text(m, "namespace"), text(request, "namespace"));
}

/* Owned; invalid: there is none. */
static jv
object_of(const struct play *p, jv request)
{
	jv found = jv_invalid();

	jv_object_foreach(p->state, key, object)
	{
		jv_free(key);
		if (!jv_is_valid(found) && is_of(object, request))
			found = object;
		else
			jv_free(object);
	}
	return found;
}

/* As a user would make it again. */
static jv
bare(jv object)
{
	static const char *const kept[] = {
	    "name", "namespace", "labels", "annotations"};
	jv m = jvtext_peek(object, "metadata"), metadata = jv_object();

	for (size_t i = 0; i < COUNT(kept); i++)
		if (jv_is_valid(jvtext_peek(m, kept[i])))
			metadata = jv_object_set(metadata, jv_string(kept[i]),
			    jv_copy(jvtext_peek(m, kept[i])));
	object = jv_object_set(object, jv_string("metadata"), metadata);
	return jv_object_delete(object, jv_string("status"));
}

static jv
patched(struct play *p, jv request, jv patch)
{
	return jv_object_set(
	    object_step(p, "patch", request), jv_string("patch"), patch);
}

static jv
made_again(jv object)
{
	return JV_OBJECT(jv_string("do"), jv_string("create"),
	    jv_string("whenGone"), jv_true(), jv_string("object"),
	    bare(jv_copy(object)));
}

/* Without what says whose it is. */
static jv
without_marks(jv object)
{
	jv m = jv_copy(jvtext_peek(object, "metadata"));

	m = jv_object_delete(m, jv_string("annotations"));
	return jv_object_set(object, jv_string("metadata"), m);
}

static void
act_on_object(
    struct play *p, enum mishap_act act, jv request, jv object, bool primary)
{
	jv gone = jv_object();

	switch (act) {
	case MISHAP_TOUCH:
		come(p, 0, COMING_CLIENT,
		    annotated(
			object_step(p, "patch", request), jv_string("now")),
		    0);
		come(p, 5 * s, COMING_CLIENT,
		    annotated(object_step(p, "patch", request), jv_null()), 0);
		break;
	case MISHAP_HOLD:
		if (jv_is_valid(jvtext_peek(
			jvtext_peek(object, "metadata"), "finalizers")))
			break;
		come(p, 0, COMING_CLIENT,
		    patched(p, request,
			jv_parse("[{\"op\":\"add\",\"path\":\"/metadata/"
				 "finalizers\",\"value\":[\"example.com/"
				 "torture\"]}]")),
		    0);
		come(p, 40 * s, COMING_CLIENT,
		    patched(p, request,
			jv_parse("[{\"op\":\"remove\",\"path\":\"/metadata/"
				 "finalizers\"}]")),
		    0);
		break;
	case MISHAP_DISOWN:
		gone = jv_parse("{\"metadata\":{\"ownerReferences\":null,"
				"\"annotations\":null}}");
		if (!primary)
			come(p, 0, COMING_CLIENT,
			    patched(p, request, jv_copy(gone)), 0);
		break;
	case MISHAP_USURP:
		if (primary)
			break;
		come(p, 0, COMING_CLIENT, object_step(p, "delete", request), 0);
		come(p, 0, COMING_CLIENT,
		    made_again(without_marks(jv_copy(object))), 0);
		break;
	default:
		come(p, 0, COMING_CLIENT, object_step(p, "delete", request), 0);
		/* A primary comes again: its user wants the same as before. */
		if (primary && act == MISHAP_DELETE)
			come(p, ms, COMING_CLIENT, made_again(object), 0);
		break;
	}
	jv_free(gone);
}

static void
delete_primaries(struct play *p)
{
	jv_object_foreach(p->state, key, object)
	{
		jv m = jvtext_peek(object, "metadata");

		jv_free(key);
		if (opfolder_is_primary(p->t->folder, object))
			come(p, 0, COMING_CLIENT,
			    JV_OBJECT(jv_string("do"), jv_string("delete"),
				jv_string("apiVersion"),
				jv_copy(jvtext_peek(object, "apiVersion")),
				jv_string("kind"),
				jv_copy(jvtext_peek(object, "kind")),
				jv_string("namespace"),
				jv_is_valid(jvtext_peek(m, "namespace"))
				    ? jv_copy(jvtext_peek(m, "namespace"))
				    : jv_null(),
				jv_string("name"),
				jv_copy(jvtext_peek(m, "name"))),
			    0);
		jv_free(object);
	}
}

static void
act_as_client(struct play *p, const struct mishap *f, jv request)
{
	jv object = object_of(p, request);
	bool primary =
	    jv_is_valid(object) && opfolder_is_primary(p->t->folder, object);

	if (f->kind->act == MISHAP_GONE)
		delete_primaries(p);
	else if (jv_is_valid(object))
		act_on_object(p, f->kind->act, request, object, primary);
	jv_free(object);
}

/* Whether the request is taken from its client, and done later. */
static bool
comes_late(struct play *p, const struct mishap *f, jv request)
{
	jv body = jvtext_peek(request, "body");

	/* The journal does not have what is secret. */
	if (f->kind->act != MISHAP_LATE ||
	    span_is(text(request, "resource"), "secrets"))
		return false;
	(void)body;
	come(p, strtoll(f->arg.p, NULL, 10) * ms, COMING_LATE, jv_copy(request),
	    0);
	return true;
}

static void
do_late(struct play *p, jv request)
{
	struct buf path = BUF_INIT, body = BUF_INIT;
	struct err err;
	jv type = jvtext_peek(request, "contentType");

	buf_addspan(&path, text(request, "path"));
	if (text(request, "query").n > 0)
		buf_addf(&path, "?%.*s", SPAN_ARG(text(request, "query")));
	if (jv_is_valid(jvtext_peek(request, "body")))
		jvtext_add_ordered(
		    &body, jvtext_peek(request, "body"), JVTEXT_KEPT, &err);
	kapiclient_ask_as(p->w->client,
	    jv_string_value(jvtext_peek(request, "userAgent")),
	    jv_string_value(jvtext_peek(request, "method")), buf_str(&path),
	    jv_is_valid(type) ? jv_string_value(type) : "application/json",
	    buf_span(&body), &err);
	buf_release(&path);
	buf_release(&body);
}

static void
act(struct play *p, const struct mishap *f, jv request)
{
	struct clock_page *page = p->w->page;
	int64_t seconds = strtoll(f->arg.p != NULL ? f->arg.p : "0", NULL, 10);

	switch (f->kind->act) {
	case MISHAP_NOTHING:
		break;
	case MISHAP_KILL:
	case MISHAP_STOP:
	case MISHAP_STARVE:
		act_on_process(p, f);
		break;
	case MISHAP_FREEZE:
		stop_all(p, seconds * s);
		break;
	case MISHAP_END:
		p->updating = true;
		p->killed = span_str("kpipe");
		kill(p->operator_, SIGTERM);
		break;
	case MISHAP_SLOW:
		p->slow_ns = world_now(p->w) + seconds * s;
		break;
	case MISHAP_LATE:
		break; /* comes_late */
	case MISHAP_RESTART:
	case MISHAP_RESTORE:
		act_on_server(p, f);
		break;
	case MISHAP_JUMP:
		page->ahead_ns += seconds * s;
		break;
	case MISHAP_SUSPEND:
		page->asleep_ns += seconds * s;
		page->boot_ns += seconds * s;
		break;
	case MISHAP_TOUCH:
	case MISHAP_DELETE:
	case MISHAP_GONE:
	case MISHAP_USURP:
	case MISHAP_DISOWN:
	case MISHAP_HOLD:
		act_as_client(p, f, request);
		break;
	}
}

static void
note_fault(struct play *p, const struct mishap *f)
{
	struct buf b = BUF_INIT;

	mishap_print(f, &b);
	note(p,
	    JV_OBJECT(jv_string("fault"), jv_string_sized(b.data, (int)b.len),
		jv_string("step"), jv_number(p->step)));
	buf_release(&b);
}

static void
go_on(struct play *p, jv id, const char *how)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "{\"paused\":%.0f%s}", jv_number_value(id), how);
	kapiclient_ask(p->w->client, "POST", "/kapi/continue", KAPICLIENT_JSON,
	    buf_span(&b), NULL, &p->err);
	buf_release(&b);
}

/* A request waits. */
static void
on_pause(struct play *p, jv line)
{
	struct arena a = ARENA_INIT;
	struct mishap_point at;
	bool late = false;

	if (mishap_point_of(&a, line, &at))
		for (size_t i = 0; i < p->t->count; i++) {
			const struct mishap *f = &p->t->faults[i];

			if (f->kind->way != MISHAP_BREAK ||
			    !mishap_point_same(&f->at, &at))
				continue;
			note_fault(p, f);
			act(p, f, line);
			late = comes_late(p, f, line) || late;
		}
	arena_release(&a);
	go_on(p, jvtext_peek(line, "paused"), late ? ",\"fault\":\"cut\"" : "");
}

/* ---- what was written ---- */

static bool
is_operators(jv line)
{
	struct span by = text(line, "by");

	return span_is(by, "kapply") || span_is(by, "kstatus");
}

/* Takes objects, by key. */
static jv
put(jv objects, jv line)
{
	jv object = jvtext_peek(line, "object");
	jv key = key_of(object);

	return span_is(text(line, "change"), "DELETED")
	    ? jv_object_delete(objects, key)
	    : jv_object_set(objects, key, jv_copy(object));
}

static void
put_state(struct play *p, jv line)
{
	jv object = jvtext_peek(line, "object");

	if (has(p->made, object) ||
	    (is_operators(line) && span_is(text(line, "change"), "ADDED")))
		p->made = put(p->made, line);
	p->state = put(p->state, line);
	p->known = jv_object_set(p->known, key_of(object), jv_true());
}

static jv
attributed(const struct play *p, jv line)
{
	struct span by = asker(line);

	line = jv_object_set(
	    line, jv_string("by"), jv_string_sized(by.p, (int)by.n));
	return jv_object_set(line, jv_string("step"), jv_number(p->step));
}

/* Takes the line. */
static void
take_change(struct play *p, jv line)
{
	if (!jv_is_valid(jvtext_peek(line, "time"))) {
		char time[CLOCK_RFC3339_MAX];

		clock_format_us(world_real_us(p->w), time);
		line = jv_object_set(line, jv_string("time"), jv_string(time));
	}
	line = attributed(p, line);
	put_state(p, line);
	act_on_change(p, line);
	note(p, line);
}

/* Those of kapi's plan: it names them in its own way. */
static void
note_planned(struct play *p, jv request)
{
	struct arena a = ARENA_INIT;
	struct mishap_point at;

	if (mishap_point_of(&a, request, &at))
		for (size_t i = 0; i < p->t->count; i++)
			if (p->t->faults[i].kind->way == MISHAP_PLAN &&
			    mishap_point_same(&p->t->faults[i].at, &at))
				note_fault(p, &p->t->faults[i]);
	arena_release(&a);
}

static void
take_line(struct play *p, struct span raw)
{
	struct err err;
	jv line = jvtext_parse(raw, &err);

	if (!jv_is_valid(line)) {
		p->err = err;
		return;
	}
	if (jv_is_valid(jvtext_peek(line, "paused"))) {
		on_pause(p, line);
		jv_free(line);
		return;
	}
	if (jv_is_valid(jvtext_peek(line, "change"))) {
		take_change(p, line);
	} else {
		line = attributed(p, line);
		if (jv_is_valid(jvtext_peek(line, "fault")))
			note_planned(p, line);
		note(p, JV_OBJECT(jv_string("request"), line));
	}
}

/* By a fault: it, or another one because of it. */
static bool
is_asked(const struct play *p, struct span stage)
{
	return span_eq(p->killed, stage) || span_is(p->killed, "kpipe") ||
	    (span_is(p->killed, "evaluator") && span_is(stage, "ireconcile"));
}

static void
note_end(struct play *p, struct span stage, int signal, int code)
{
	jv line = JV_OBJECT(jv_string("death"),
	    jv_string_sized(stage.p, (int)stage.n), jv_string("signal"),
	    jv_number(signal), jv_string("code"), jv_number(code));

	if (is_asked(p, stage))
		line = jv_object_set(line, jv_string("asked"), jv_true());
	note(p, line);
}

static int
signal_of(struct span name)
{
	for (int i = 1; i < NSIG; i++)
		if (sigabbrev_np(i) != NULL && span_is(name, sigabbrev_np(i)))
			return i;
	return NSIG;
}

/* "kapply (pid 7) was killed by SIGKILL", "... ended with exit code 1" */
static void
note_death(struct play *p, struct span line)
{
	struct span rest = line, stage = span_cut(&rest, ' ');
	const char *at;

	if (!span_take(&rest, "(pid ") || (at = span_find(rest, ')')) == NULL)
		return;
	rest = span_skip(rest, (size_t)(at - rest.p) + 1);
	if (span_take(&rest, " was killed by SIG"))
		note_end(p, stage, signal_of(span_cut(&rest, ':')), 0);
	else if (span_take(&rest, " was killed for memory"))
		note_end(p, stage, SIGKILL, 0);
	else if (span_take(&rest, " ended with exit code "))
		note_end(p, stage, 0, (int)strtol(rest.p, NULL, 10));
}

static void
take_log(struct play *p, struct span line)
{
	struct span rest = line, stage = span_cut(&rest, ':');

	if (rest.p == NULL)
		return;
	rest = span_trim_start(rest, " ");
	if (span_is(stage, "kpipe")) {
		struct span death = rest;

		if (!span_take(&death, "warning: "))
			span_take(&death, "error: ");
		note_death(p, death);
	}
	note(p,
	    JV_OBJECT(jv_string("log"), jv_string_sized(rest.p, (int)rest.n),
		jv_string("stage"), jv_string_sized(stage.p, (int)stage.n)));
}

/* Takes whole lines out of b. */
static bool
take_lines(
    struct play *p, struct buf *b, void (*take)(struct play *, struct span))
{
	struct span rest = buf_span(b);
	const char *end;
	bool any = false;

	while ((end = span_find(rest, '\n')) != NULL) {
		take(p, span_make(rest.p, (size_t)(end - rest.p)));
		rest = span_skip(rest, (size_t)(end - rest.p) + 1);
		any = true;
	}
	buf_consume(b, b->len - rest.n);
	return any;
}

/* ---- time ---- */

static void
start_operator(struct play *p)
{
	struct buf watches = BUF_INIT, config = BUF_INIT, dir = BUF_INIT;
	char *argv[8] = {"kpipe"};
	int n = 1;

	buf_addf(&watches, "--filename=%s", p->t->folder->watches_path);
	buf_addf(&config, "--kubeconfig=%s", p->w->kubeconfig);
	argv[n++] = (char *)buf_str(&watches);
	argv[n++] = (char *)buf_str(&config);
	argv[n++] = "--sandbox=off";
	if (p->t->recording != NULL) {
		buf_addf(&dir, "--record=%s", p->t->recording);
		argv[n++] = (char *)buf_str(&dir);
	}
	p->operator_ = world_fork(p->w, kpipe_main, argv);
	p->died_ns = 0;
	buf_release(&watches);
	buf_release(&config);
	buf_release(&dir);
}

/* It is started again, as a kubelet does. */
static void
look_at_operator(struct play *p)
{
	int status;

	if (p->ending || p->died_ns != 0 ||
	    waitpid(p->operator_, &status, WNOHANG) != p->operator_)
		return;
	note_end(p, span_str("kpipe"),
	    WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	    WIFEXITED(status) ? WEXITSTATUS(status) : 0);
	p->died_ns = world_now(p->w);
	if (p->updating)
		p->died_ns -= s; /* the new Pod is there already */
	else
		p->deaths++;
	p->updating = false;
}

static int64_t
restart_ns(const struct play *p)
{
	int64_t pause = s;

	for (unsigned i = 1; i < p->deaths && pause < 60 * s; i++)
		pause *= 2;
	return p->died_ns + pause;
}

static jv
values_of(jv objects)
{
	jv list = jv_array();

	jv_object_foreach(objects, key, object)
	{
		jv_free(key);
		list = jv_array_append(list, object);
	}
	return list;
}

/* All that the operator had made when it was told of the primary, in a record. */
static jv
made_in(jv record)
{
	jv made = jv_object();

	jv_array_foreach(record, i, line)
	{
		bool over = jv_is_valid(jvtext_peek(line, "step")) &&
		    jv_is_valid(jvtext_peek(line, "do")) &&
		    !span_is(text(jvtext_peek(line, "do"), "do"), "create");

		if (!over && jv_is_valid(jvtext_peek(line, "change")) &&
		    (has(made, jvtext_peek(line, "object")) ||
			(is_operators(line) &&
			    span_is(text(line, "change"), "ADDED"))))
			made = put(made, line);
		jv_free(line);
		if (over)
			break;
	}
	return made;
}

static void do_step(struct play *p, struct kapiclient *c, jv step);

/* A step that a user cannot do yet is tried again, for a while. */
static void
again(struct play *p, jv step)
{
	jv tries = jvtext_peek(step, "tries");
	double n = jv_is_valid(tries) ? jv_number_value(tries) : 0;

	if (n < TRIES_MAX)
		come(p, 5 * s, COMING_CLIENT,
		    jv_object_set(
			jv_copy(step), jv_string("tries"), jv_number(n + 1)),
		    0);
}

static void
do_open(struct play *p, jv step)
{
	struct span what = text(step, "do");
	jv made = span_is(what, "foreign") && jv_is_valid(p->t->made)
	    ? made_in(p->t->made)
	    : jv_copy(p->made);
	jv state = values_of(p->state), list = values_of(made);
	jv steps = resolve_step(step, list, state, p->t->folder->namespace_);

	jv_free(made);
	jv_free(list);
	jv_free(state);
	if (jv_array_length(jv_copy(steps)) == 0 && p->t->count > 0)
		again(p, step);
	jv_array_foreach(steps, i, one)
	{
		do_step(p, p->w->client, one);
		jv_free(one);
	}
	jv_free(steps);
}

/* The object has another uid by now, or none. */
static bool
is_void(const struct play *p, jv step)
{
	struct span uid = text(step, "uid"), version = text(step, "apiVersion");
	bool found = uid.n == 0;

	jv_object_foreach(p->state, key, object)
	{
		jv m = jvtext_peek(object, "metadata");

		found = found ||
		    (span_eq(text(m, "uid"), uid) &&
			span_eq(text(object, "apiVersion"), version));
		jv_free(key);
		jv_free(object);
	}
	return !found;
}

static void
do_step(struct play *p, struct kapiclient *c, jv step)
{
	jv when = jvtext_peek(step, "whenGone");
	int status;

	if (resolve_is_open(step)) {
		do_open(p, step);
	} else if (jv_get_kind(when) == JV_KIND_TRUE &&
	    has(p->state, jvtext_peek(step, "object"))) {
		jv_free(p->waiting);
		p->waiting = jv_copy(step);
	} else if (!is_void(p, step)) {
		status = deed_do(p->deeds, c, step, NULL, &p->err);
		/* The server has no such kind, by a fault. */
		if (status == 0)
			p->err.kind = ERR_NONE;
		else if (status > 299 && c == p->w->cluster)
			backdrop_refused(p->backdrop, step);
		/* The one before is not gone yet. */
		else if (status == 409 && c == p->w->client)
			again(p, step);
	}
}

static bool
do_waiting(struct play *p)
{
	jv step = p->waiting;

	if (!jv_is_valid(step) || has(p->state, jvtext_peek(step, "object")))
		return false;
	p->waiting = jv_invalid();
	do_step(p, p->w->client, step);
	jv_free(step);
	return true;
}

/* Does what is due; whether anything was. */
static bool
do_due(struct play *p)
{
	int64_t now = world_now(p->w);
	bool any = false;

	for (size_t i = 0; i < p->coming_count; i++) {
		struct coming c = p->coming[i];

		if (c.due_ns > now)
			continue;
		p->coming_count--;
		memmove(&p->coming[i], &p->coming[i + 1],
		    (p->coming_count - i) * sizeof(c));
		i--;
		any = true;
		if (c.kind == COMING_GO_ON)
			kill(c.pid, SIGCONT);
		else if (c.kind == COMING_LATE)
			do_late(p, c.step);
		else
			do_step(p,
			    c.kind == COMING_CLUSTER ? p->w->cluster
						     : p->w->client,
			    c.step);
		jv_free(c.step);
		/* Its effect may come before the next. */
		break;
	}
	if (p->died_ns != 0 && !p->ending && restart_ns(p) <= now) {
		start_operator(p);
		any = true;
	}
	return any;
}

static int64_t
next_due(const struct play *p, int64_t end)
{
	for (size_t i = 0; i < p->coming_count; i++)
		if (p->coming[i].due_ns < end)
			end = p->coming[i].due_ns;
	if (p->died_ns != 0 && !p->ending && restart_ns(p) < end)
		end = restart_ns(p);
	return end;
}

static void
settle(struct play *p)
{
	bool more;

	do {
		world_still(p->w);
		more = take_lines(p, &p->w->journal, take_line);
		take_lines(p, &p->w->log, take_log);
		look_at_operator(p);
		more = do_waiting(p) || do_due(p) || more;
	} while (more);
}

static void
pass(struct play *p, int64_t ns)
{
	int64_t end = world_now(p->w) + ns;

	settle(p);
	while (world_now(p->w) < end) {
		world_step(p->w, next_due(p, end));
		settle(p);
	}
}

/* ---- the play ---- */

static int
set_faults(struct play *p)
{
	struct buf b = BUF_INIT;
	struct span answer;
	int status;

	for (size_t i = 0; i < p->t->count; i++) {
		mishap_plan(&p->t->faults[i], &b);
		buf_addc(&b, '\n');
	}
	status = b.len == 0
	    ? 200
	    : kapiclient_ask(p->w->client, "POST", "/kapi/faults",
		  KAPICLIENT_JSON, buf_span(&b), &answer, &p->err);
	if (status > 0 && status >= 300)
		err_set(&p->err, ERR_BUG, "kapi refuses %s: %.*s", buf_str(&b),
		    SPAN_ARG(answer));
	buf_release(&b);
	return status >= 200 && status < 300 ? 0 : -1;
}

static bool
needs_saved(const struct trial *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->faults[i].kind->act == MISHAP_RESTORE)
			return true;
	return false;
}

/* An expression that does not become true is a violation. */
static void
expect(struct play *p, jv step)
{
	int64_t end = world_now(p->w) + TRIAL_CONVERGE_MS * ms;
	struct err err = ERR_INIT;
	jq_state *jq = scenario_expression(
	    p->t->folder, jv_string_value(jvtext_peek(step, "jq")), &err);
	struct buf b = BUF_INIT;
	int holds = -1;

	while (jq != NULL &&
	    (holds = scenario_holds(jq, values_of(p->state), &err)) != 1 &&
	    p->t->count > 0 && world_now(p->w) < end)
		pass(p, 5 * s);

	if (jq != NULL)
		jq_teardown(&jq);
	if (holds == 1)
		return;
	buf_addf(&b, "%s: %s", jv_string_value(jvtext_peek(step, "name")),
	    holds == 0 ? "is not so" : err.message);
	note(p,
	    JV_OBJECT(jv_string("violation"),
		JV_OBJECT(jv_string("invariant"), jv_string("expect"),
		    jv_string("object"), jv_string(""), jv_string("text"),
		    jv_string_sized(b.data, (int)b.len))));
	buf_release(&b);
}

static void
play_steps(struct play *p)
{
	jv steps = jv_copy(p->t->steps);
	bool saves = needs_saved(p->t);

	jv_array_foreach(steps, i, step)
	{
		bool at_once = jv_is_valid(jvtext_peek(step, "then"));

		if (i > 0 && !at_once)
			pass(p, TRIAL_STEP_MS * ms);
		p->step = i + 1;
		if (saves)
			save(p, &p->saved);
		note(p,
		    JV_OBJECT(jv_string("step"), jv_number(p->step),
			jv_string("do"), jv_copy(step), jv_string("time"),
			number(world_real_us(p->w))));
		if (span_is(text(step, "do"), "wait"))
			pass(p,
			    (int64_t)jv_number_value(jvtext_peek(step, "ms")) *
				ms);
		else if (span_is(text(step, "do"), "expect"))
			expect(p, step);
		else
			do_step(p, p->w->client, step);
		jv_free(step);
	}
	jv_free(steps);
}

static void
end(struct play *p)
{
	int status;

	p->ending = true;
	status = p->died_ns != 0
	    ? 0
	    : world_end(p->w, p->operator_, SIGTERM, 120 * s);
	take_lines(p, &p->w->journal, take_line);
	take_lines(p, &p->w->log, take_log);
	note(p,
	    JV_OBJECT(jv_string("end"), jv_true(), jv_string("code"),
		jv_number(WIFEXITED(status) ? WEXITSTATUS(status)
					    : 128 + WTERMSIG(status)),
		jv_string("time"), number(world_real_us(p->w)),
		jv_string("state"), values_of(p->state)));
}

jv
trial_play(struct world *w, const struct trial *t, struct err *err)
{
	struct play p = {.w = w,
	    .t = t,
	    .deeds = &w->deeds,
	    .record = jv_array(),
	    .state = jv_object(),
	    .made = jv_object(),
	    .known = jv_object(),
	    .waiting = jv_invalid(),
	    .err = ERR_INIT};

	p.backdrop = backdrop_new();
	if (world_reset(w, t->objects, t->seed, t->start_us, &p.err) == 0 &&
	    set_faults(&p) == 0) {
		start_operator(&p);
		pass(&p, TRIAL_FIRST_MS * ms);
		play_steps(&p);
		pass(&p, TRIAL_CONVERGE_MS * ms);
		note(&p,
		    JV_OBJECT(jv_string("silence"), jv_true(),
			jv_string("time"), number(world_real_us(w))));
		pass(&p, TRIAL_SILENCE_MS * ms);
		end(&p);
	}
	backdrop_free(p.backdrop);
	for (size_t i = 0; i < p.coming_count; i++)
		jv_free(p.coming[i].step);
	free(p.coming);
	buf_release(&p.saved);
	jv_free(p.state);
	jv_free(p.made);
	jv_free(p.known);
	jv_free(p.waiting);
	if (p.err.kind == ERR_NONE)
		return p.record;
	*err = p.err;
	jv_free(p.record);
	return jv_invalid();
}
