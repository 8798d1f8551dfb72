#include "upset.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/array.h"
#include "json/json.h"
#include "json/jvtext.h"

static const int64_t ms = 1000000, s = 1000000000;

enum { STOP_SECONDS = 3, PROCESSES = 64 };

static void
stop(struct play *p, pid_t pid, int64_t ns)
{
	kill(pid, SIGSTOP);
	play_come(p, ns, COMING_GO_ON, jv_invalid(), pid);
}

static void
stop_instance(struct play *p, size_t instance, int64_t ns)
{
	pid_t pids[PROCESSES];
	size_t n = instance_processes(p, instance, pids, PROCESSES);

	for (size_t i = 0; i < n; i++)
		stop(p, pids[i], ns);
}

/* A process of the instance that has asked. The argument is a stage, and maybe how
 * long: "kapply:20"; or after how long once more. */
static void
act_on_process(struct play *p, const struct mishap *f, size_t instance)
{
	struct span rest = f->arg, stage = span_cut(&rest, ':');
	int64_t ns =
	    s * (rest.n > 0 ? strtoll(rest.p, NULL, 10) : STOP_SECONDS);
	pid_t pid = instance_process(p, instance, stage);
	struct rlimit none = {1, 1};

	if (f->kind->act == MISHAP_KILL && rest.n > 0)
		play_come(p, ns, COMING_KILL,
		    JV_ARRAY(jv_number((double)instance),
			jv_number((double)(f - p->t->faults))),
		    0);
	if (span_is(stage, "instance"))
		stop_instance(p, instance, ns);
	if (pid == 0)
		return;
	if (f->kind->act == MISHAP_KILL || f->kind->act == MISHAP_STARVE)
		p->killed = stage;
	if (f->kind->act == MISHAP_KILL)
		kill(pid, SIGKILL);
	else if (f->kind->act == MISHAP_STOP)
		stop(p, pid, ns);
	else
		prlimit(pid, RLIMIT_DATA, &none, NULL);
}

void
upset_kill(struct play *p, jv killed)
{
	jv number = jv_array_get(jv_copy(killed), 0);
	jv fault = jv_array_get(jv_copy(killed), 1);
	struct span arg = p->t->faults[(size_t)jv_number_value(fault)].arg;
	struct span stage = span_cut(&arg, ':');
	pid_t pid = instance_process(p, (size_t)jv_number_value(number), stage);

	if (pid == 0)
		return;
	p->killed = stage;
	kill(pid, SIGKILL);
}

/* As a node that freezes: only the server and the rest of the cluster go on. */
static void
stop_all(struct play *p, int64_t ns)
{
	for (size_t i = 0; i < p->w->still.count; i++) {
		pid_t pid = p->w->still.tasks[i].pid;

		if (pid != p->w->kapi)
			stop(p, pid, ns);
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

int
upset_save(struct play *p, struct buf *into)
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

/* Takes object. */
static jv
without_values(jv object, const char *name)
{
	jv values = jvtext_peek(object, name), hidden = jv_object();

	if (jv_get_kind(values) != JV_KIND_OBJECT) {
		jv_free(hidden);
		return object;
	}
	jv_object_foreach(values, key, value)
	{
		jv_free(value);
		hidden = jv_object_set(hidden, key, jv_string("(redacted)"));
	}
	return jv_object_set(object, jv_string(name), hidden);
}

/* As kapi tells of an object: without the values of a Secret. */
static jv
told(jv object)
{
	jv metadata;

	if (!span_is(play_text(object, "kind"), "Secret"))
		return object;
	metadata = jv_copy(jvtext_peek(object, "metadata"));
	object = jv_object_set(object, jv_string("metadata"),
	    without_values(metadata, "annotations"));
	return without_values(object, "data");
}

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
		    span_is(play_text(line, "type"), "ADDED") &&
		    play_has(p->known, object);

		if (there) {
			bool was = play_has(before, object);

			before = jv_object_delete(before, play_key(object));
			play_take_change(p,
			    JV_OBJECT(jv_string("change"),
				jv_string(was ? "MODIFIED" : "ADDED"),
				jv_string("object"), told(jv_copy(object))));
		}
		jv_free(line);
	}
	jv_object_foreach(before, key, object)
	{
		jv_free(key);
		play_take_change(p,
		    JV_OBJECT(jv_string("change"), jv_string("DELETED"),
			jv_string("object"), object));
	}
	jv_free(before);
}

/* The user does again what the server has forgotten: a second later, if the
 * next step is not at once behind it. */
static void
do_again(struct play *p)
{
	jv next = play_next(p);
	int64_t after = jv_is_valid(jvtext_peek(next, "then")) ? 0 : s;

	jv_free(next);
	for (int i = p->saved_step; i < p->step; i++) {
		jv step = jv_array_get(jv_copy(p->t->steps), i);
		struct span what = play_text(step, "do");

		if (span_is(what, "wait") || span_is(what, "expect"))
			jv_free(step);
		else
			play_come(p, after, COMING_CLIENT, step, 0);
	}
}

static void
act_on_server(struct play *p, const struct mishap *f)
{
	struct buf now = BUF_INIT;

	if (f->kind->act == MISHAP_RESTART) {
		if (upset_save(p, &now) == 0)
			load(p, buf_span(&now), 0);
	} else if (p->saved.len > 0) {
		load(p, buf_span(&p->saved), saved_version(p));
		take_restored(p);
		do_again(p);
	}
	buf_release(&now);
}

/* The object of a request, as members of a step. */
static jv
object_step(const char *what, jv request)
{
	jv step = JV_OBJECT(jv_string("do"), jv_string(what));
	static const char *const keys[] = {"namespace", "name"};
	struct span group = play_text(request, "group");
	struct span version = play_text(request, "version");
	struct buf b = BUF_INIT;

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
	struct span kind = play_text(object, "kind");
	struct span plural = play_text(request, "resource");
	struct span version = play_text(object, "apiVersion"), group = version;
	jv m = jvtext_peek(object, "metadata");

	version = span_cut(&group, '/');
	return kind.n > 0 && plural.n >= kind.n &&
	    strncasecmp(kind.p, plural.p, kind.n - 1) == 0 &&
	    (group.p != NULL ? span_eq(version, play_text(request, "group"))
			     : play_text(request, "group").n == 0) &&
	    span_eq(play_text(m, "name"), play_text(request, "name")) &&
	    span_eq(play_text(m, "namespace"), play_text(request, "namespace"));
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
patched(jv request, jv patch)
{
	return jv_object_set(
	    object_step("patch", request), jv_string("patch"), patch);
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

static bool
is_going(jv object)
{
	return jv_is_valid(
	    jvtext_peek(jvtext_peek(object, "metadata"), "deletionTimestamp"));
}

static void
act_on_object(
    struct play *p, enum mishap_act act, jv request, jv object, bool primary)
{
	switch (act) {
	case MISHAP_TOUCH:
		play_come(p, 0, COMING_CLIENT,
		    annotated(object_step("patch", request), jv_string("now")),
		    0);
		play_come(p, 5 * s, COMING_CLIENT,
		    annotated(object_step("patch", request), jv_null()), 0);
		break;
	case MISHAP_HOLD:
		if (jv_is_valid(jvtext_peek(
			jvtext_peek(object, "metadata"), "finalizers")))
			break;
		play_come(p, 0, COMING_CLIENT,
		    patched(request,
			jv_parse("[{\"op\":\"add\",\"path\":\"/metadata/"
				 "finalizers\",\"value\":[\"example.com/"
				 "torture\"]}]")),
		    0);
		play_come(p, 40 * s, COMING_CLIENT,
		    patched(request,
			jv_parse("[{\"op\":\"test\",\"path\":\"/metadata/"
				 "finalizers/0\",\"value\":\"example.com/"
				 "torture\"},{\"op\":\"remove\",\"path\":"
				 "\"/metadata/finalizers/0\"}]")),
		    0);
		break;
	case MISHAP_DISOWN:
		if (!primary)
			play_come(p, 0, COMING_CLIENT,
			    patched(request,
				jv_parse("{\"metadata\":{\"ownerReferences\":"
					 "null,\"annotations\":null}}")),
			    0);
		break;
	case MISHAP_USURP:
		if (primary)
			break;
		play_come(
		    p, 0, COMING_CLIENT, object_step("delete", request), 0);
		play_come(p, 0, COMING_CLIENT,
		    made_again(without_marks(jv_copy(object))), 0);
		break;
	default:
		play_come(
		    p, 0, COMING_CLIENT, object_step("delete", request), 0);
		/* A primary comes again: its user wants the same as before, unless
		 * it was being deleted. */
		if (primary && act == MISHAP_DELETE && !is_going(object))
			play_come(p, ms, COMING_CLIENT, made_again(object), 0);
		break;
	}
}

static void
delete_primaries(struct play *p)
{
	jv_object_foreach(p->state, key, object)
	{
		jv m = jvtext_peek(object, "metadata");

		jv_free(key);
		if (opfolder_is_primary(p->t->folder, object))
			play_come(p, 0, COMING_CLIENT,
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

/* Another one holds the lease, and never renews it; after the time of the
 * argument, if it is not 0, the lease is what it was. */
static void
steal(struct play *p, const struct mishap *f, jv request, jv object)
{
	int64_t after = strtoll(f->arg.p, NULL, 10) * ms;
	jv before = jvtext_peek(jvtext_peek(object, "spec"), "holderIdentity");

	play_come(p, 0, COMING_CLIENT,
	    patched(request,
		jv_parse("{\"spec\":{\"holderIdentity\":\"thief\","
			 "\"leaseDurationSeconds\":15}}")),
	    0);
	if (after > 0 && jv_is_valid(before))
		play_come(p, after, COMING_CLIENT,
		    patched(request,
			JV_OBJECT(jv_string("spec"),
			    JV_OBJECT(
				jv_string("holderIdentity"), jv_copy(before)))),
		    0);
}

/* The next step comes now, if it is about a primary: others depend on what the
 * operator has done until then. */
static void
hurry(struct play *p)
{
	jv step = play_next(p), object = jvtext_peek(step, "object");

	if (opfolder_is_primary(
		p->t->folder, jv_is_valid(object) ? object : step)) {
		play_begin_next(p);
		play_come(p, 0, COMING_CLIENT, step, 0);
	} else {
		jv_free(step);
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
	else if (jv_is_valid(object) && f->kind->act == MISHAP_STEAL)
		steal(p, f, request, object);
	else if (jv_is_valid(object))
		act_on_object(p, f->kind->act, request, object, primary);
	jv_free(object);
}

/* A server that ends does not do what it was asked. */
static bool
ends_server(const struct mishap *f)
{
	return f->kind->act == MISHAP_RESTART || f->kind->act == MISHAP_RESTORE;
}

/* Whether the request is taken from its client, and done later. */
static bool
comes_late(struct play *p, const struct mishap *f, jv request)
{
	/* The journal does not have what is secret. */
	if (f->kind->act != MISHAP_LATE ||
	    span_is(play_text(request, "resource"), "secrets"))
		return false;
	play_come(p, strtoll(f->arg.p, NULL, 10) * ms, COMING_LATE,
	    jv_copy(request), 0);
	return true;
}

void
upset_late(struct play *p, jv request)
{
	struct buf path = BUF_INIT, body = BUF_INIT;
	struct err err;
	jv type = jvtext_peek(request, "contentType");

	buf_addspan(&path, play_text(request, "path"));
	if (play_text(request, "query").n > 0)
		buf_addf(&path, "?%.*s", SPAN_ARG(play_text(request, "query")));
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
plan_further(struct play *p, struct span lines)
{
	struct span answer;

	if (lines.n > 0 &&
	    kapiclient_ask(p->w->client, "POST", "/kapi/faults",
		KAPICLIENT_JSON, lines, &answer, &p->err) >= 300)
		err_set(&p->err, ERR_BUG, "kapi refuses %.*s: %.*s",
		    SPAN_ARG(lines), SPAN_ARG(answer));
}

/* The tool of this instance alone gets no answer any more, for so long. */
static void
part(struct play *p, const struct mishap *f, jv request)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "{\"userAgent\":");
	json_add_string(&b, play_text(request, "userAgent"));
	buf_addf(&b, ",\"fault\":\"cut\",\"forMs\":%.*s}\n", SPAN_ARG(f->arg));
	plan_further(p, buf_span(&b));
	buf_release(&b);
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
		act_on_process(p, f, instance_of(request));
		break;
	case MISHAP_STOP_AT_END:
		p->stopped_at_end = f->arg;
		break;
	case MISHAP_FREEZE:
		stop_all(p, seconds * s);
		break;
	case MISHAP_END:
		instance_update(p, instance_of(request));
		break;
	case MISHAP_BESIDE:
		if (p->operator_count > 1)
			break;
		instance_start(p, 1);
		play_come(p, seconds * s, COMING_RETIRE, jv_number(0), 0);
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
		p->slept_ns += seconds * s;
		p->written_ns = world_now(p->w);
		break;
	case MISHAP_TOUCH:
	case MISHAP_DELETE:
	case MISHAP_GONE:
	case MISHAP_USURP:
	case MISHAP_DISOWN:
	case MISHAP_HOLD:
	case MISHAP_STEAL:
		act_as_client(p, f, request);
		break;
	case MISHAP_NEXT:
		hurry(p);
		break;
	case MISHAP_PART:
		part(p, f, request);
		break;
	case MISHAP_LINE_TWICE:
	case MISHAP_LINE_HOLD:
	case MISHAP_LINE_CUT:
		break; /* relay.h */
	}
}

void
upset_note(struct play *p, const struct mishap *f)
{
	struct buf b = BUF_INIT;
	int64_t due_ms = mishap_due_ms(f);
	jv line;

	mishap_print(f, &b);
	line =
	    JV_OBJECT(jv_string("fault"), jv_string_sized(b.data, (int)b.len),
		jv_string("step"), jv_number(p->step), jv_string("time"),
		play_number(world_real_us(p->w)));
	if (due_ms >= 0)
		line = jv_object_set(
		    line, jv_string("dueMs"), play_number(due_ms));
	/* The watch has begun; the event comes. */
	if (f->at.event > 0)
		line = jv_object_set(line, jv_string("later"), jv_true());
	play_note(p, line);
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

void
upset_look(struct play *p)
{
	for (size_t i = 0; i < p->t->count; i++) {
		const struct mishap *f = &p->t->faults[i];

		if (f->kind->way != MISHAP_RELAY || p->noted[i] ||
		    !relay_has_happened(p->w->relay, i))
			continue;
		p->noted[i] = true;
		/* All end because of that. */
		if (f->kind->act == MISHAP_LINE_CUT)
			p->killed = span_str("kpipe");
		upset_note(p, f);
	}
}

void
upset_go_on(struct play *p, jv line)
{
	go_on(p, jvtext_peek(line, "paused"), "");
}

/* A request waits. */
void
upset_pause(struct play *p, jv line)
{
	struct arena a = ARENA_INIT;
	struct mishap_point at;
	struct buf further = BUF_INIT;
	int64_t after = 0;
	bool cut = false;

	if (mishap_point_of(&a, line, &at))
		for (size_t i = 0; i < p->t->count; i++) {
			const struct mishap *f = &p->t->faults[i];

			if (f->kind->way != MISHAP_BREAK ||
			    !mishap_point_same(&f->at, &at))
				continue;
			upset_note(p, f);
			act(p, f, line);
			cut = comes_late(p, f, line) || ends_server(f) || cut;
			mishap_follow(f, &further);
			if (f->kind->act == MISHAP_END && f->arg.n > 0 &&
			    f->kind->plan == NULL)
				after = strtoll(f->arg.p, NULL, 10) * ms;
		}
	arena_release(&a);
	plan_further(p, buf_span(&further));
	buf_release(&further);
	if (cut)
		go_on(p, jvtext_peek(line, "paused"), ",\"fault\":\"cut\"");
	else /* behind what another client does now */
		play_come(p, after, COMING_PASS, jv_copy(line), 0);
}
