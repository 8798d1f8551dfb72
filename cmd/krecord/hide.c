#include "hide.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "process/file.h"
#include "process/log.h"
#include "record/redact.h"
#include "value/objref.h"

/* The hidden fields of a kind, by watches.yaml. */
struct hidden {
	char *name; /* Kind.group */
	struct textlist paths;
};

struct hide {
	struct redact *redact;
	struct map kinds; /* struct hidden by name */
	struct buf name;
};

/* ---- the key of the digests: DIR/digests.key ---- */

/* 0; 1: there is no key; -1 with err. */
static int
read_key(const char *path, unsigned char key[REDACT_KEY_SIZE], struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return 1;
	n = fd < 0 ? -1 : read(fd, key, REDACT_KEY_SIZE);
	if (n < 0)
		err_set(err, ERR_TRANSIENT, "cannot read %s: %s", path,
		    strerror(errno));
	else if (n != REDACT_KEY_SIZE)
		err_set(err, ERR_TRANSIENT,
		    "%s has less than %d bytes: remove it", path,
		    REDACT_KEY_SIZE);
	if (fd >= 0)
		close(fd);
	return n == REDACT_KEY_SIZE ? 0 : -1;
}

static int
write_all(const char *path, struct err *err)
{
	char key[REDACT_KEY_SIZE];
	int fd = open(
	    path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int rc = -1;

	if (getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
		err_set(err, ERR_TRANSIENT, "no random numbers for %s", path);
	else if (fd < 0 || file_write(fd, span_make(key, sizeof(key))) != 0)
		err_set(err, ERR_TRANSIENT, "cannot write %s: %s", path,
		    strerror(errno));
	else
		rc = 0;
	explicit_bzero(key, sizeof(key));
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Another process may make the key at the same time: the first one holds. */
static int
make_key(const char *path, struct err *err)
{
	struct buf other = BUF_INIT;
	int rc;

	buf_addf(&other, "%s.%ld", path, (long)getpid());
	rc = write_all(buf_str(&other), err);
	if (rc == 0 && link(buf_str(&other), path) != 0 && errno != EEXIST)
		rc = err_set(err, ERR_TRANSIENT, "cannot make %s: %s", path,
		    strerror(errno));
	unlink(buf_str(&other));
	buf_release(&other);
	return rc;
}

/* Reads the key, or makes it, and the directory. -1 with err; permanent only if
 * dir is not a directory. */
static int
get_key(const char *dir, unsigned char key[REDACT_KEY_SIZE], struct err *err)
{
	struct buf path = BUF_INIT;
	struct stat st;
	int rc;

	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return err_set(err, ERR_TRANSIENT, "cannot make %s: %s", dir,
		    strerror(errno));
	if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(
		    err, ERR_PERMANENT, "%s is not a directory", dir);
	buf_addf(&path, "%s/digests.key", dir);
	rc = read_key(buf_str(&path), key, err);
	if (rc == 1 && (rc = make_key(buf_str(&path), err)) == 0)
		rc = read_key(buf_str(&path), key, err);
	buf_release(&path);
	return rc == 0 ? 0 : -1;
}

static struct redact *
open_redact(const char *dir, struct err *err)
{
	unsigned char key[REDACT_KEY_SIZE];
	struct redact *r;

	if (dir == NULL)
		return redact_new(err);
	if (get_key(dir, key, err) == 0) {
		r = redact_new_keyed(key);
		explicit_bzero(key, sizeof(key));
		return r;
	}
	if (err->kind == ERR_PERMANENT)
		return NULL;
	log_warning(
	    "%s: digests will compare only until krecord ends", err->message);
	return redact_new(err);
}

/* ---- the kinds with hidden fields ---- */

static void
add_kind(struct hide *h, const struct watch_kind *k)
{
	struct hidden *hidden;

	if (k->redact.count == 0)
		return;
	buf_reset(&h->name);
	watch_kind_name(k, &h->name);
	hidden = map_get(&h->kinds, buf_span(&h->name));
	if (hidden == NULL) {
		hidden = mem_zalloc(sizeof(*hidden));
		hidden->name = mem_strdup(buf_str(&h->name));
		map_put(&h->kinds, span_str(hidden->name), hidden);
	}
	for (size_t i = 0; i < k->redact.count; i++)
		textlist_add_once(&hidden->paths, span_str(k->redact.items[i]));
}

struct hide *
hide_new(const char *dir, const struct watches *w, struct err *err)
{
	struct redact *redact = open_redact(dir, err);
	struct hide *h;

	if (redact == NULL)
		return NULL;
	h = mem_zalloc(sizeof(*h));
	h->redact = redact;
	for (size_t i = 0; w != NULL && i < w->count; i++) {
		const struct watch_entry *e = &w->entries[i];

		add_kind(h, &e->primary);
		for (size_t n = 0; n < e->dependent_count; n++)
			add_kind(h, &e->dependents[n]);
		for (size_t n = 0; n < e->related_count; n++)
			add_kind(h, &e->related[n]);
	}
	return h;
}

void
hide_add_key_name(const struct hide *h, struct buf *b)
{
	redact_add_name(h->redact, b);
}

void
hide_free(struct hide *h)
{
	struct hidden *hidden;
	size_t i = 0;

	if (h == NULL)
		return;
	while ((hidden = map_next(&h->kinds, &i)) != NULL) {
		textlist_release(&hidden->paths);
		free(hidden->name);
		free(hidden);
	}
	map_release(&h->kinds);
	redact_free(h->redact);
	buf_release(&h->name);
	free(h);
}

static const struct hidden *
find(struct hide *h, struct span kind, struct span group)
{
	if (h->kinds.count == 0)
		return NULL;
	buf_reset(&h->name);
	objref_add_kind(&h->name, kind, group);
	return map_get(&h->kinds, buf_span(&h->name));
}

/* Whether the object of a key has a kind with hidden fields. */
static bool
key_has_hidden(struct hide *h, struct span key)
{
	struct objref o = {0};

	return objref_parse_key(&o, key) && find(h, o.kind, o.group) != NULL;
}

static const char *const *
paths_of(const struct hidden *hidden)
{
	return hidden != NULL ? (const char *const *)hidden->paths.items : NULL;
}

/* ---- members ---- */

/* The object that a part of a line is about. */
struct subject {
	struct span kind, api_version;
	const struct hidden *hidden; /* NULL: no field of its kind is */
};

static struct subject
subject_of(struct hide *h, struct span ref)
{
	struct subject s = {.kind = json_raw_string(json_get(ref, "kind")),
	    .api_version = json_raw_string(json_get(ref, "apiVersion"))};

	s.hidden = find(h, s.kind, objref_group(s.api_version));
	return s;
}

/* Appends a part of a line, without what is hidden. */
typedef void hide_fn(struct hide *h, const struct subject *s, struct span value,
    struct buf *out);

/* How a member is appended; name NULL: all others, and the end of a table. */
struct member_rule {
	const char *name;
	hide_fn *hide; /* NULL: as it is */
};

/* A value that is not an object is appended as it is. */
static void
hide_members(struct hide *h, const struct subject *s,
    const struct member_rule *rules, struct span object, struct buf *out)
{
	if (json_type(object) != JSON_OBJECT) {
		buf_addspan(out, object);
		return;
	}
	buf_addc(out, '{');
	for (struct json_members m = json_members(object); json_member(&m);) {
		const struct member_rule *r = rules;

		while (r->name != NULL && !span_is(m.key, r->name))
			r++;
		json_add_raw_key(out, m.key);
		if (r->hide != NULL)
			r->hide(h, s, m.value, out);
		else
			buf_addspan(out, m.value);
	}
	buf_addc(out, '}');
}

/* ---- objects ---- */

/* Most objects have nothing to hide, and are copied as they are. */
static void
hide_alone(struct hide *h, const struct json_frame *f, struct buf *out)
{
	struct span group = objref_group(f->api_version);
	const struct hidden *hidden = find(h, f->kind, group);

	if (hidden == NULL && !(group.n == 0 && span_is(f->kind, "Secret")) &&
	    !redact_has_secret(f->object) &&
	    !span_has(f->annotations, "last-applied-configuration"))
		buf_addspan(out, f->object);
	else
		redact_object(h->redact, group, f->kind, paths_of(hidden),
		    f->object, out);
}

/* Objects; those of a SecretList have no kind. */
static void
hide_items(struct hide *h, const struct subject *list, struct span items,
    struct buf *out)
{
	struct json_frame f;

	buf_addc(out, '[');
	for (struct json_elements e = json_elements(items); json_element(&e);) {
		json_add_comma(out);
		if (json_object_frame(e.value, &f) != 0) {
			buf_addspan(out, e.value);
			continue;
		}
		if (f.kind.n == 0) {
			f.kind = list->kind;
			f.api_version = list->api_version;
		}
		hide_framed(h, &f, out);
	}
	buf_addc(out, ']');
}

void
hide_framed(struct hide *h, const struct json_frame *f, struct buf *out)
{
	static const struct member_rule rules[] = {
	    {"items", hide_items}, {NULL, NULL}};
	struct subject items = {.kind = f->kind, .api_version = f->api_version};
	struct json_frame list = *f;
	struct buf b = BUF_INIT;

	if (span_ends(f->kind, "List") &&
	    json_type(json_get(f->object, "items")) == JSON_ARRAY) {
		items.kind.n -= strlen("List");
		hide_members(h, &items, rules, f->object, &b);
		json_object_frame(buf_span(&b), &list);
	}
	hide_alone(h, &list, out);
	buf_release(&b);
}

static void
hide_object(struct hide *h, struct span object, struct buf *out)
{
	struct json_frame f;

	if (json_object_frame(object, &f) == 0)
		hide_framed(h, &f, out);
	else
		buf_addspan(out, object);
}

/* A value, as if it were this member of an object of that kind. */
static void
hide_as_member(struct hide *h, const char *name, const char *const *paths,
    struct span kind, struct span group, struct span value, struct buf *out)
{
	struct buf object = BUF_INIT, shown = BUF_INIT;

	buf_addf(&object, "{\"%s\":", name);
	buf_addspan(&object, value);
	buf_addc(&object, '}');
	redact_object(h->redact, group, kind, paths, buf_span(&object), &shown);
	buf_addspan(out, json_get(buf_span(&shown), name));
	buf_release(&object);
	buf_release(&shown);
}

/* ---- the lines ---- */

static void
hide_status(struct hide *h, const struct subject *s, struct span status,
    struct buf *out)
{
	if (s->hidden == NULL && !redact_has_secret(status))
		buf_addspan(out, status);
	else
		hide_as_member(h, "status", paths_of(s->hidden), s->kind,
		    objref_group(s->api_version), status, out);
}

/* All strings of a value, which may be values of hidden fields. */
static void
hide_all(
    struct hide *h, const struct subject *s, struct span value, struct buf *out)
{
	static const char *const all[] = {"all", NULL};

	(void)s;
	hide_as_member(h, "all", all, span_str(""), span_str(""), value, out);
}

/* The values in a reason, or in a difference, of an object whose kind has hidden
 * fields. */
static void
hide_values(
    struct hide *h, const struct subject *s, struct span value, struct buf *out)
{
	static const struct member_rule rules[] = {{"observed", hide_all},
	    {"wanted", hide_all}, {"before", hide_all}, {"after", hide_all},
	    {NULL, hide_values}};

	if (json_type(value) != JSON_ARRAY) {
		hide_members(h, s, rules, value, out);
		return;
	}
	buf_addc(out, '[');
	for (struct json_elements e = json_elements(value); json_element(&e);) {
		json_add_comma(out);
		hide_values(h, s, e.value, out);
	}
	buf_addc(out, ']');
}

/* `items` of a set's `because`: {KEY: reason}. */
static void
hide_reasons(
    struct hide *h, const struct subject *s, struct span items, struct buf *out)
{
	if (json_type(items) != JSON_OBJECT) {
		buf_addspan(out, items);
		return;
	}
	buf_addc(out, '{');
	for (struct json_members m = json_members(items); json_member(&m);) {
		json_add_raw_key(out, m.key);
		if (key_has_hidden(h, m.key))
			hide_values(h, s, m.value, out);
		else
			buf_addspan(out, m.value);
	}
	buf_addc(out, '}');
}

static void
hide_because(struct hide *h, const struct subject *s, struct span because,
    struct buf *out)
{
	static const struct member_rule rules[] = {
	    {"items", hide_reasons}, {NULL, NULL}};

	if (h->kinds.count > 0)
		hide_members(h, s, rules, because, out);
	else
		buf_addspan(out, because);
}

static void
hide_reconcile(struct hide *h, const struct subject *s, struct span reconcile,
    struct buf *out)
{
	static const struct member_rule rules[] = {{"status", hide_status},
	    {"onError", hide_status}, {"because", hide_because}, {NULL, NULL}};
	struct subject primary = subject_of(h, json_get(reconcile, "primary"));

	(void)s;
	if (json_type(reconcile) == JSON_OBJECT)
		hide_members(h, &primary, rules, reconcile, out);
	else /* nothing is known of what it has */
		buf_adds(out, "{}");
}

static const struct member_rule set_rules[] = {
    {"items", hide_items}, {"reconcile", hide_reconcile}, {NULL, NULL}};

/* A result of a kind with hidden fields: the text that says why, the status. */
static const struct member_rule result_rules[] = {{"because", hide_all},
    {"message", hide_all}, {"status", hide_status}, {NULL, NULL}};

bool
hide_is_needless(const struct hide *h, struct span text)
{
	return h->kinds.count == 0 && !span_has(text, "Secret") &&
	    !span_has(text, "/last-applied-configuration");
}

void
hide_body(
    struct hide *h, enum reading_kind kind, struct span body, struct buf *out)
{
	struct arena names = ARENA_INIT;
	struct buf hidden = BUF_INIT;
	struct span line, key;
	struct subject s = {.hidden = NULL};

	if (hide_is_needless(h, body)) {
		buf_addspan(out, body);
		return;
	}
	switch (kind) {
	case READING_EVENT:
	case READING_STATUS:
		hide_object(h, body, out);
		return;
	case READING_SET:
		hide_members(h, &s, set_rules, body, &hidden);
		break;
	case READING_RESULT:
		s = subject_of(h, body);
		if (s.hidden == NULL)
			hide_object(h, body, &hidden);
		else
			hide_members(h, &s, result_rules, body, &hidden);
		break;
	case READING_SHADOW:
		key = json_name(json_get(body, "object"), &names);
		if (key.p != NULL && key_has_hidden(h, key))
			hide_values(h, &s, body, &hidden);
		else
			buf_addspan(&hidden, body);
		arena_release(&names);
		break;
	default:
		buf_addspan(out, body);
		return;
	}
	/* Secrets may be anywhere else in the line, as in a reason. */
	line = buf_span(&hidden);
	if (redact_has_secret(line))
		redact_object(
		    h->redact, span_str(""), span_str(""), NULL, line, out);
	else
		buf_addspan(out, line);
	buf_release(&hidden);
}
