#include "set/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"
#include "kube/kubeerror.h"
#include "record/redacted.h"
#include "set/setorder.h"
#include "value/datakind.h"

/* ---- the members of a line ---- */

/* In the order in which they are checked. */
enum member {
	MEMBER_ITEMS, /* beside reconcile, not in it */
	MEMBER_KNOWN,
	MEMBER_ONCE,
	MEMBER_EXACTLY,
	MEMBER_AS_SEEN,
	MEMBER_INDEPENDENT,
	MEMBER_AFTER,
	MEMBER_VACATED,
	MEMBER_PATCH,
	MEMBER_RELEASE,
	MEMBER_DELETE,
	MEMBER_REFUSED,
	MEMBER_EVENTS,
	MEMBER_ADOPT,
	MEMBER_ORIGIN,
	MEMBER_INSTANCE,
	MEMBER_TAKES_OVER,
	MEMBER_LOOPS,
	MEMBER_BECAUSE,
	MEMBER_CONFIDENTIAL,
	MEMBER_STATUS,
	MEMBER_ON_ERROR,
	MEMBER_FINALIZERS,
	MEMBER_PRIMARY,
	MEMBER_MANAGER,
	MEMBER_DELETING,
	MEMBER_GUARD_STATUS,
	MEMBER_AGAIN,
	MEMBER_MAX_CONCURRENT,
	MEMBERS
};

/* Borrowed from the line; SPAN_NONE: it has none. */
struct members {
	struct span of[MEMBERS];
};

static const struct {
	const char *name;
	enum json_type type; /* JSON_INVALID: not checked */
} member_table[MEMBERS] = {
    [MEMBER_ITEMS] = {"items", JSON_ARRAY},
    [MEMBER_KNOWN] = {"known", JSON_OBJECT},
    [MEMBER_ONCE] = {"once", JSON_ARRAY},
    [MEMBER_EXACTLY] = {"exactly", JSON_ARRAY},
    [MEMBER_AS_SEEN] = {"asSeen", JSON_ARRAY},
    [MEMBER_INDEPENDENT] = {"independent", JSON_ARRAY},
    [MEMBER_AFTER] = {"after", JSON_OBJECT},
    [MEMBER_VACATED] = {"vacated", JSON_ARRAY},
    [MEMBER_PATCH] = {"patch", JSON_OBJECT},
    [MEMBER_RELEASE] = {"release", JSON_ARRAY},
    [MEMBER_DELETE] = {"delete", JSON_ARRAY},
    [MEMBER_REFUSED] = {"refused", JSON_ARRAY},
    [MEMBER_EVENTS] = {"events", JSON_ARRAY},
    [MEMBER_ADOPT] = {"adopt", JSON_STRING},
    [MEMBER_ORIGIN] = {"origin", JSON_STRING},
    [MEMBER_INSTANCE] = {"instance", JSON_STRING},
    [MEMBER_TAKES_OVER] = {"takesOver", JSON_ARRAY},
    [MEMBER_LOOPS] = {"loops", JSON_OBJECT},
    [MEMBER_BECAUSE] = {"because", JSON_OBJECT},
    [MEMBER_CONFIDENTIAL] = {"confidential", JSON_ARRAY},
    [MEMBER_STATUS] = {"status", JSON_OBJECT},
    [MEMBER_ON_ERROR] = {"onError", JSON_OBJECT},
    [MEMBER_FINALIZERS] = {"finalizers", JSON_OBJECT},
    [MEMBER_PRIMARY] = {"primary"},
    [MEMBER_MANAGER] = {"manager"},
    [MEMBER_DELETING] = {"deleting"},
    [MEMBER_GUARD_STATUS] = {"guardStatus"},
    [MEMBER_AGAIN] = {"again"},
    [MEMBER_MAX_CONCURRENT] = {"maxConcurrentReconciles"},
};

static void
members_find(struct members *m, struct span line)
{
	static const char *const outer[] = {"items", "reconcile"};
	const char *names[MEMBERS];
	struct span found[COUNT(outer)];

	for (size_t n = 0; n < MEMBERS; n++)
		names[n] = member_table[n].name;
	json_pick(line, outer, COUNT(outer), found);
	json_pick(found[1], names, MEMBERS, m->of);
	m->of[MEMBER_ITEMS] = found[0];
}

static int
check_type(struct span value, enum json_type want, const char *within,
    const char *name, struct err *err)
{
	enum json_type type = json_type(value);

	if (value.p == NULL || type == JSON_NULL || type == want)
		return 0;
	return err_set(err, ERR_PERMANENT, "%s%s is not %s", within, name,
	    want == JSON_ARRAY	      ? "a list"
		: want == JSON_OBJECT ? "an object"
				      : "text");
}

/* A filter that spoils a member must not make it look absent. null is absent. */
static int
members_check(const struct members *m, struct err *err)
{
	static const char *const inner[] = {"add", "remove", "seen", "origin"};
	struct span found[COUNT(inner)];

	for (size_t n = 0; n < MEMBERS; n++)
		if (member_table[n].type != JSON_INVALID &&
		    check_type(m->of[n], member_table[n].type,
			n == MEMBER_ITEMS ? "" : "reconcile.",
			member_table[n].name, err) != 0)
			return -1;
	json_pick(m->of[MEMBER_FINALIZERS], inner, COUNT(inner), found);
	for (size_t n = 0; n < COUNT(inner); n++)
		if (check_type(found[n], n < 3 ? JSON_ARRAY : JSON_STRING,
			"reconcile.finalizers.", inner[n], err) != 0)
			return -1;
	return 0;
}

/* ---- items ---- */

static char *
key_of(const struct objref *id)
{
	struct buf b = BUF_INIT;

	objref_add_key(&b, id);
	return buf_take(&b);
}

/* holder has namespace, name and uid: metadata, or the identity itself. */
static int
read_identity(struct set *s, struct objref *id, struct span object,
    struct span holder, const char *what, struct err *err)
{
	static const char *const type[] = {"apiVersion", "kind"};
	static const char *const named[] = {"namespace", "name", "uid"};
	struct span types[COUNT(type)], names[COUNT(named)];

	json_pick(object, type, COUNT(type), types);
	json_pick(holder, named, COUNT(named), names);
	id->api_version = json_raw_string(types[0]);
	id->kind = json_raw_string(types[1]);
	id->namespace_ = json_name(names[0], &s->names);
	id->name = json_name(names[1], &s->names);
	id->uid = json_name(names[2], &s->names);
	if (id->api_version.n == 0)
		return err_set(
		    err, ERR_PERMANENT, "%s has no apiVersion", what);
	if (id->kind.n == 0)
		return err_set(err, ERR_PERMANENT, "%s has no kind", what);
	if (id->name.n == 0 && s->plain &&
	    set_draw_name(s, holder, &id->name, err) != 0)
		return -1;
	if (id->name.n == 0)
		return err_set(err, ERR_PERMANENT, "%s has no %s", what,
		    holder.p == object.p ? "name" : "metadata.name");
	if (!objref_name_fits(id->name))
		return err_set(err, ERR_PERMANENT,
		    "%s has the name \"%.*s\": %s", what, SPAN_ARG(id->name),
		    OBJREF_NAME_RULE);
	objref_split(id->api_version, &id->group, &id->version);
	return 0;
}

static enum phase
phase_of(const struct objref *id)
{
	static const struct {
		const char *group, *kind;
		enum phase phase;
	} kinds[] = {
	    {"", "Namespace", PHASE_SCOPES},
	    {"apiextensions.k8s.io", "CustomResourceDefinition", PHASE_SCOPES},
	    {"", "ServiceAccount", PHASE_SUPPORT},
	    {"", "ConfigMap", PHASE_SUPPORT},
	    {"", "Secret", PHASE_SUPPORT},
	    {"", "PersistentVolumeClaim", PHASE_SUPPORT},
	    {"rbac.authorization.k8s.io", "Role", PHASE_SUPPORT},
	    {"rbac.authorization.k8s.io", "ClusterRole", PHASE_SUPPORT},
	    {"rbac.authorization.k8s.io", "RoleBinding", PHASE_SUPPORT},
	    {"rbac.authorization.k8s.io", "ClusterRoleBinding", PHASE_SUPPORT},
	    {"networking.k8s.io", "NetworkPolicy", PHASE_SUPPORT},
	};

	for (size_t n = 0; n < COUNT(kinds); n++)
		if (span_is(id->group, kinds[n].group) &&
		    span_is(id->kind, kinds[n].kind))
			return kinds[n].phase;
	return PHASE_REST;
}

static struct item *
add_item(struct set *s, enum item_op op, enum phase phase)
{
	struct item *i;

	s->items = mem_grow(s->items, s->count, sizeof(*s->items));
	i = &s->items[s->count++];
	*i = (struct item){.op = op, .phase = phase, .step = STEP_WRITE};
	return i;
}

static char *
refusal(struct span key, struct span message)
{
	struct buf b = BUF_INIT;

	buf_addspan(&b, key);
	buf_adds(&b, " refused");
	if (message.n != 0)
		buf_adds(&b, ": ");
	buf_addspan(&b, message);
	return buf_take(&b);
}

/* Appends the path of the first digest in the value, down to it or to a list
 * with it, as far as it is plain names. */
static void
add_digest_path(struct buf *path, struct span value)
{
	if (json_type(value) != JSON_OBJECT)
		return;
	for (struct json_members m = json_members(value); json_member(&m);) {
		if (!redacted_in(m.value))
			continue;
		buf_addc(path, '.');
		buf_addspan(path, m.key);
		add_digest_path(path, m.value);
		return;
	}
}

/* Values that a recording hides are not written: the real ones would be lost. A
 * digest that a program put into a text counts, in any form. */
static void
refuse_digest(struct item *i)
{
	struct buf b = BUF_INIT;

	if (!redacted_in(i->text))
		return;
	add_digest_path(&b, i->text);
	buf_adds(&b,
	    " is " REDACTED_DIGEST
	    ", as recordings have it: apply an object that was read with "
	    "kwatch --show-secrets, or by kubectl");
	i->state = ITEM_REFUSED;
	i->failure.error = refusal(span_str(i->key), buf_span(&b));
	buf_release(&b);
}

/* An item that is an object; NULL with err. */
static struct item *
parse_object(struct set *s, struct span text, const char *what, struct err *err)
{
	struct item *i = add_item(s, OP_APPLY, PHASE_REST);

	i->text = text;
	if (json_type(text) != JSON_OBJECT) {
		err_set(err, ERR_PERMANENT, "%s is not an object", what);
		return NULL;
	}
	if (read_identity(
		s, &i->id, text, json_get(text, "metadata"), what, err) < 0)
		return NULL;
	if (s->plain &&
	    json_name(json_path(text, "metadata.name"), &s->names).n == 0)
		i->op = OP_CREATE;
	i->phase = phase_of(&i->id);
	i->key = key_of(&i->id);
	refuse_digest(i);
	return i;
}

static bool
lists(struct span list, const struct item *i)
{
	for (struct json_elements e = json_elements(list); json_element(&e);)
		if (json_is(e.value, i->key))
			return true;
	return false;
}

static void
set_known(struct set *s, struct item *i, struct span known, struct span once)
{
	struct span value = json_get_named(known, span_str(i->key));

	if (json_type(value) == JSON_NULL)
		i->known = KNOWN_ABSENT;
	i->known_uid = json_name(value, &s->names);
	if (i->known_uid.n != 0)
		i->known = KNOWN_UID;
	i->once = lists(once, i);
	if (i->once)
		i->step = STEP_PRIMARY;
	/* The object was there: at most once means not again. */
	if (i->once && i->known == KNOWN_UID && i->state != ITEM_REFUSED)
		i->state = ITEM_DONE;
}

/* Refuses an item that is the primary of its line: a primary belongs to its
 * users. */
static void
refuse_primary(const struct set *s, struct item *i)
{
	if (!span_eq(i->id.group, s->primary.group) ||
	    !span_eq(i->id.kind, s->primary.kind) ||
	    !span_eq(i->id.namespace_, s->primary.namespace_) ||
	    !span_eq(i->id.name, s->primary.name))
		return;
	i->state = ITEM_REFUSED;
	free(i->failure.error);
	i->failure.error =
	    refusal(span_str(i->key), span_str("it is the primary itself"));
}

bool
set_may_be_drift(const struct set *s, const struct item *i)
{
	struct json_elements causes = json_elements(s->causes);

	return set_is_repair(i) ||
	    (set_difference(i).n > 0 && !json_element(&causes));
}

/* The reason is for the log. */
static void
set_because(const struct set *s, struct item *i, struct span because)
{
	struct span version;

	i->because =
	    json_get_named(json_get(because, "items"), span_str(i->key));
	version = json_raw_string(json_get(i->because, "version"));
	/* If the apply leaves it so, nothing was changed. */
	if (i->known == KNOWN_UID && version.n > 0)
		i->live_version = mem_dup(version.p, version.n);
	if (i->known == KNOWN_UID && i->step == STEP_WRITE &&
	    set_may_be_drift(s, i))
		i->step = STEP_CAUSE;
}

/* An object without a uid would be created. */
static int
check_partial(const struct item *i, const char *what, struct err *err)
{
	return i->known == KNOWN_UID
	    ? 0
	    : err_set(
		  err, ERR_PERMANENT, "%s is patched: it needs a uid", what);
}

static int
set_partial(
    struct item *i, struct span patch, const char *what, struct err *err)
{
	struct span how = json_get_named(patch, span_str(i->key));

	if (how.p == NULL)
		return 0;
	if (json_is(how, "hold"))
		i->partial = PARTIAL_HOLD;
	else if (json_is(how, "take"))
		i->partial = PARTIAL_TAKE;
	else
		return err_set(err, ERR_PERMANENT,
		    "reconcile.patch[\"%s\"] is neither take nor hold", i->key);
	return check_partial(i, what, err);
}

/* Sets the version that may be written: without it, any version would be. */
static int
set_version(struct item *i, const char *what, struct err *err)
{
	i->version =
	    json_raw_string(json_path(i->text, "metadata.resourceVersion"));
	return i->version.n > 0 && i->known == KNOWN_UID
	    ? 0
	    : err_set(err, ERR_PERMANENT,
		  "%s is asSeen: it needs a uid in known and a "
		  "resourceVersion",
		  what);
}

/* ---- the lists of a line: each function takes one element ---- */

static int
parse_item(struct set *s, const struct members *m, struct span value,
    const char *what, struct err *err)
{
	struct item *i = parse_object(s, value, what, err);

	if (i == NULL)
		return -1;
	set_known(s, i, m->of[MEMBER_KNOWN], m->of[MEMBER_ONCE]);
	set_because(s, i, m->of[MEMBER_BECAUSE]);
	i->exactly = lists(m->of[MEMBER_EXACTLY], i);
	i->vacated = lists(m->of[MEMBER_VACATED], i);
	if (lists(m->of[MEMBER_AS_SEEN], i) && set_version(i, what, err) < 0)
		return -1;
	if (set_partial(i, m->of[MEMBER_PATCH], what, err) < 0)
		return -1;
	refuse_primary(s, i);
	return 0;
}

static int
parse_release(struct set *s, const struct members *m, struct span value,
    const char *what, struct err *err)
{
	struct item *i = parse_object(s, value, what, err);

	(void)m;
	if (i == NULL)
		return -1;
	i->phase = PHASE_DELETE;
	i->partial = PARTIAL_RELEASE;
	i->known_uid = i->id.uid;
	if (i->known_uid.n > 0)
		i->known = KNOWN_UID;
	if (check_partial(i, what, err) < 0)
		return -1;
	refuse_primary(s, i);
	return 0;
}

static int
parse_delete(struct set *s, const struct members *m, struct span value,
    const char *what, struct err *err)
{
	struct item *i = add_item(s, OP_DELETE, PHASE_DELETE);

	(void)m;
	i->step = STEP_READ;
	if (read_identity(s, &i->id, value, value, what, err) < 0)
		return -1;
	i->key = key_of(&i->id);
	i->always = json_type(json_get(value, "always")) == JSON_TRUE;
	i->foreign = json_type(json_get(value, "foreign")) == JSON_TRUE;
	if (i->foreign)
		i->version =
		    json_raw_string(json_get(value, "resourceVersion"));
	if (i->foreign && (i->version.n == 0 || i->id.uid.n == 0))
		return err_set(err, ERR_PERMANENT,
		    "%s is foreign: it needs uid and resourceVersion", what);
	refuse_primary(s, i);
	return 0;
}

static int
parse_refused(struct set *s, const struct members *m, struct span value,
    const char *what, struct err *err)
{
	struct span key = json_name(json_get(value, "item"), &s->names);
	struct buf message = BUF_INIT;
	struct item *i;

	(void)m;
	if (key.n == 0)
		return err_set(err, ERR_PERMANENT, "%s has no item", what);
	i = add_item(s, OP_APPLY, PHASE_REST);
	objref_parse_key(&i->id, key);
	i->phase = phase_of(&i->id);
	i->key = mem_dup(key.p, key.n);
	i->state = ITEM_REFUSED;
	i->failure.error =
	    refusal(key, json_string(json_get(value, "message"), &message));
	buf_release(&message);
	return 0;
}

static int
parse_lists(struct set *s, const struct members *m, struct err *err)
{
	static const struct {
		enum member list;
		const char *name;
		int (*parse)(struct set *s, const struct members *m,
		    struct span value, const char *what, struct err *err);
	} all[] = {
	    {MEMBER_ITEMS, "items", parse_item},
	    {MEMBER_RELEASE, "reconcile.release", parse_release},
	    {MEMBER_DELETE, "reconcile.delete", parse_delete},
	    {MEMBER_REFUSED, "reconcile.refused", parse_refused},
	};

	for (size_t a = 0; a < COUNT(all); a++) {
		struct json_elements e = json_elements(m->of[all[a].list]);

		for (unsigned n = 0; json_element(&e); n++) {
			char what[40];

			snprintf(what, sizeof(what), "%s[%u]", all[a].name, n);
			if (all[a].parse(s, m, e.value, what, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Items that are looked at before all others: the fields that loop. */
static int
parse_loops(struct set *s, struct span loops, struct err *err)
{
	for (struct json_members m = json_members(loops); json_member(&m);) {
		struct span key =
		    json_name(span_make(m.key.p - 1, m.key.n + 2), &s->names);
		struct item *i;

		if (json_type(m.value) != JSON_STRING)
			return err_set(err, ERR_PERMANENT,
			    "reconcile.loops[\"%.*s\"] is not text",
			    SPAN_ARG(key));
		i = add_item(s, OP_LOOK, PHASE_LOOK);
		i->step = STEP_READ;
		objref_parse_key(&i->id, key);
		if (i->id.name.n == 0)
			return err_set(err, ERR_PERMANENT,
			    "reconcile.loops: \"%.*s\" is not a key of an "
			    "object",
			    SPAN_ARG(key));
		i->key = mem_dup(key.p, key.n);
		i->text = m.value;
	}
	return 0;
}

/* An item may be gone because its primary is, which may not be known yet. */
static void
parse_again(struct set *s, struct span again)
{
	struct item *i;

	if (json_type(again) != JSON_TRUE)
		return;
	i = add_item(s, OP_OWNER, PHASE_LOOK);
	i->step = STEP_READ;
	i->id = s->primary;
	i->key = key_of(&i->id);
}

static void
parse_finalizers(struct set *s, struct span finalizers)
{
	static const struct {
		const char *member;
		enum item_op op;
		enum phase phase;
	} kinds[] = {{"add", OP_ADD_FINALIZERS, PHASE_ADD_FINALIZERS},
	    {"remove", OP_REMOVE_FINALIZERS, PHASE_REMOVE_FINALIZERS}};

	for (size_t k = 0; k < 2; k++) {
		struct span list = json_get(finalizers, kinds[k].member);
		struct json_elements e = json_elements(list);
		struct item *i;

		if (!json_element(&e))
			continue;
		i = add_item(s, kinds[k].op, kinds[k].phase);
		i->step = STEP_READ;
		i->id = s->primary;
		i->key = key_of(&i->id);
		i->text = list;
		if (i->op == OP_ADD_FINALIZERS)
			i->origin =
			    json_raw_string(json_get(finalizers, "origin"));
		else
			i->seen = json_get(finalizers, "seen");
	}
}

static int
parse_reconcile(struct set *s, struct span line, struct setorder_said *said,
    struct err *err)
{
	struct members m;
	struct span primary;

	members_find(&m, line);
	primary = m.of[MEMBER_PRIMARY];
	if (json_type(primary) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT, "reconcile has no primary");
	if (read_identity(
		s, &s->primary, primary, primary, "reconcile.primary", err) < 0)
		return -1;
	if (members_check(&m, err) < 0)
		return -1;
	s->key = key_of(&s->primary);
	s->primary_version =
	    json_raw_string(json_get(primary, "resourceVersion"));
	if (json_type(m.of[MEMBER_STATUS]) == JSON_OBJECT)
		s->status = m.of[MEMBER_STATUS];
	if (json_type(m.of[MEMBER_ON_ERROR]) == JSON_OBJECT)
		s->on_error = m.of[MEMBER_ON_ERROR];
	s->events = m.of[MEMBER_EVENTS];
	s->confidential = m.of[MEMBER_CONFIDENTIAL];
	s->causes = json_get(m.of[MEMBER_BECAUSE], "events");
	s->manager = json_name(m.of[MEMBER_MANAGER], &s->names);
	s->deleting = json_type(m.of[MEMBER_DELETING]) == JSON_TRUE;
	s->guard_status = json_type(m.of[MEMBER_GUARD_STATUS]) == JSON_TRUE;
	s->adopt = json_name(m.of[MEMBER_ADOPT], &s->names);
	s->origin = json_name(m.of[MEMBER_ORIGIN], &s->names);
	s->instance = json_name(m.of[MEMBER_INSTANCE], &s->names);
	s->takes_over = m.of[MEMBER_TAKES_OVER];
	*said = (struct setorder_said){
	    m.of[MEMBER_AFTER], m.of[MEMBER_INDEPENDENT]};
	json_int(m.of[MEMBER_MAX_CONCURRENT], &s->max_concurrent);
	if (parse_lists(s, &m, err) < 0 ||
	    parse_loops(s, m.of[MEMBER_LOOPS], err) < 0)
		return -1;
	parse_again(s, m.of[MEMBER_AGAIN]);
	parse_finalizers(s, m.of[MEMBER_FINALIZERS]);
	return 0;
}

/* An object of a cluster may have a member of this name, but also a kind. */
static bool
is_desired_set(struct span line)
{
	static const char *const keys[] = {"kind", "reconcile"};
	struct span found[COUNT(keys)];

	json_pick(line, keys, COUNT(keys), found);
	return json_type(found[1]) == JSON_OBJECT &&
	    (found[0].p == NULL || json_is(found[0], "List"));
}

static struct set *
parse(struct span text, size_t line, bool plain, struct err *err)
{
	struct set *s = mem_zalloc(sizeof(*s));
	struct setorder_said said = {SPAN_NONE, SPAN_NONE};
	struct span copy;
	int bad;

	s->text = mem_dup(text.p, text.n);
	s->line = line;
	copy = span_make(s->text, text.n);
	copy = json_value(&copy);
	s->plain = plain || !is_desired_set(copy);
	if (s->plain && json_is(json_get(copy, "kind"), "List")) {
		/* A List of plain objects would have come item by item. */
		bad = err_set(err, ERR_PERMANENT, "a List %s",
		    plain ? "in an event"
			: json_get(copy, "reconcile").p != NULL
			? "whose reconcile is not an object"
			: "whose items is not a list");
	} else if (s->plain) {
		bad = parse_object(s, copy, "it", err) == NULL ? -1 : 0;
		if (bad == 0)
			s->key = mem_strdup(s->items[0].key);
	} else {
		bad = parse_reconcile(s, copy, &said, err);
	}
	if (bad == 0)
		bad = setorder_sort(s, &said, err);
	if (bad < 0) {
		set_free(s);
		return NULL;
	}
	return s;
}

/* ---- sets ---- */

int
set_read(
    struct set **s, struct span text, size_t line, bool item, struct err *err)
{
	bool event = set_is_event(text);

	*s = NULL;
	if (event && set_unwrap(text, &text, err) != 0)
		return -1;
	if (text.n == 0)
		return 0;
	*s = parse(text, line, event || item, err);
	return *s != NULL ? 0 : -1;
}

void
set_free(struct set *s)
{
	if (s == NULL)
		return;
	for (size_t n = 0; n < s->count; n++) {
		struct item *i = &s->items[n];

		free(i->key);
		free(i->unseen.key);
		free(i->live_uid);
		free(i->live_version);
		free(i->patch);
		free(i->conflict);
		free(i->found);
		free(i->by);
		free(i->after.at);
		free(i->failure.error);
	}
	free(s->items);
	arena_release(&s->names);
	free(s->text);
	free(s->key);
	free(s->version);
	free(s->patch_manager);
	free(s->error_sent);
	free(s);
}

const struct item *
set_wish(const struct set *s, const char *key)
{
	for (size_t n = 0; n < s->count; n++)
		if (s->items[n].op == OP_APPLY &&
		    strcmp(s->items[n].key, key) == 0)
			return &s->items[n];
	return NULL;
}

bool
set_is_confidential(const struct set *s, const struct objref *id)
{
	struct json_elements kinds = json_elements(s->confidential);
	struct buf name = BUF_INIT;
	bool found = datakind(id->group, id->kind);

	objref_add_kind(&name, id->kind, id->group);
	while (!found && json_element(&kinds))
		found = json_is(kinds.value, buf_str(&name));
	buf_release(&name);
	return found;
}

struct span
set_error_kind(const struct set *s, const struct objref *id)
{
	return set_is_confidential(s, id) ? KUBE_ERROR_PRIVATE : id->kind;
}
