#include "watchspec.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "record/redact.h"

static struct watchspec *
watchspecs_add(struct watchspecs *w)
{
	struct watchspec *n = mem_zalloc(sizeof(*n));

	textlist_init(&n->namespaces);
	textlist_init(&n->redact);
	w->items = mem_grow(w->items, w->count, sizeof(*w->items));
	w->items[w->count++] = n;
	return n;
}

static void
unite(struct textlist *to, const struct textlist *from)
{
	for (size_t i = 0; i < from->count; i++)
		textlist_add_once(to, span_str(from->items[i]));
}

static struct watchspec *
find(const struct watchspecs *w, const struct watch_kind *k)
{
	for (size_t i = 0; i < w->count; i++) {
		struct watchspec *n = w->items[i];

		if (n->spelling == NULL && strcmp(n->group, k->group) == 0 &&
		    strcmp(n->version, k->version) == 0 &&
		    strcmp(n->kind, k->kind) == 0)
			return n;
	}
	return NULL;
}

static void
add_whole(struct watchspec *n)
{
	project_free(n->project);
	n->project = NULL;
	n->metadata_only = false;
}

static int
add_fields(struct watchspec *n, const struct watch_kind *k, struct err *err)
{
	if (k->fields.count == 0) {
		add_whole(n);
		return 0;
	}
	if (n->project == NULL)
		return 0; /* an entry wants whole objects */
	n->metadata_only = n->metadata_only && k->metadata_only;
	if (k->map == WATCH_MAP_LABEL)
		project_add_label(n->project, k->map_arg);
	for (size_t i = 0; i < k->fields.count; i++)
		if (project_add(n->project, k->fields.items[i], err) != 0)
			return -1;
	return 0;
}

bool
watchspec_selects(const char *selector)
{
	return selector != NULL && *selector != '\0';
}

static bool
same_selector(const char *a, const char *b)
{
	if (!watchspec_selects(a) || !watchspec_selects(b))
		return watchspec_selects(a) == watchspec_selects(b);
	return strcmp(a, b) == 0;
}

/*
 * Two selectors cannot be united: both are dropped, and ireconcile selects by
 * its mapping. But not those of primaries, which nothing else selects.
 */
static int
add_selector(
    struct watchspec *n, const char *selector, bool strict, struct err *err)
{
	if (same_selector(n->selector, selector)) {
		n->strict = n->strict || strict;
		return 0;
	}
	if (n->strict || strict) {
		const char *primary = strict ? selector : n->selector;

		return err_set(err, ERR_PERMANENT,
		    "%s is a primary with the selector %s, and a kind is "
		    "watched with one selector: write selector: %s wherever "
		    "%s is named, or drop it and let the program desire [] "
		    "for primaries that do not match",
		    n->kind, primary, primary, n->kind);
	}
	free(n->selector);
	n->selector = NULL;
	return 0;
}

bool
watchspec_is_everywhere(const struct watchspec *n)
{
	return n->namespaces.count == 0 && n->room_count == 0;
}

static void
release_scope(struct watchspec *n)
{
	for (size_t i = 0; i < n->room_count; i++) {
		free(n->rooms[i].selector);
		textlist_release(&n->rooms[i].names);
	}
	free(n->rooms);
	n->rooms = NULL;
	n->room_count = 0;
	textlist_release(&n->namespaces);
}

/* The namespaces of one more use, of which the selector (or NULL) selects. first:
 * there is no other use. */
static void
add_scope(struct watchspec *n, bool first, const struct textlist *namespaces,
    const char *selector)
{
	struct watchspec_rooms *r;

	if (!first && watchspec_is_everywhere(n))
		return;
	if (selector != NULL) {
		n->rooms = mem_grow(n->rooms, n->room_count, sizeof(*n->rooms));
		r = &n->rooms[n->room_count++];
		r->selector = mem_strdup(selector);
		textlist_init(&r->names);
		textlist_copy(&r->names, namespaces);
	} else if (namespaces->count == 0) {
		release_scope(n);
		textlist_init(&n->namespaces);
	} else {
		unite(&n->namespaces, namespaces);
	}
}

/* A file has a kind in one version; ireconcile would take the objects of two
 * versions for one another's. */
static int
check_version(const struct watchspecs *w, const struct watches *file,
    const struct watch_kind *k, struct err *err)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct watchspec *n = w->items[i];

		if (n->spelling == NULL && n->file != file &&
		    strcmp(n->group, k->group) == 0 &&
		    strcmp(n->kind, k->kind) == 0)
			return err_set(err, ERR_PERMANENT,
			    "%s is watched in version %s because of %s:%d, "
			    "not in %s: a kind is watched in one version",
			    k->kind, n->version, n->file->path, n->line,
			    k->version);
	}
	return 0;
}

/* Adds the kind of the entry, or unites it with the one that there is. */
static int
add_kind(struct watchspecs *w, const struct watches *file,
    const struct watch_entry *e, const struct watch_kind *k, struct err *err)
{
	bool strict = k == &e->primary && watchspec_selects(k->selector);
	struct watchspec *n = find(w, k);
	struct buf name = BUF_INIT;

	if (n == NULL) {
		if (check_version(w, file, k, err) != 0)
			return -1;
		n = watchspecs_add(w);
		n->file = file;
		n->line = k->line;
		n->group = mem_strdup(k->group);
		n->version = mem_strdup(k->version);
		n->kind = mem_strdup(k->kind);
		n->project = project_new();
		n->metadata_only = true;
		n->selector = mem_strdup(k->selector);
		n->strict = strict;
		add_scope(n, true, &k->namespaces, k->namespace_selector);
		n->missing = k->optional ? WATCHSPEC_OPTIONAL : WATCHSPEC_WAIT;
	} else {
		if (add_selector(n, k->selector, strict, err) != 0)
			return -1;
		add_scope(n, false, &k->namespaces, k->namespace_selector);
		if (!k->optional)
			n->missing = WATCHSPEC_WAIT;
	}
	unite(&n->redact, &k->redact);
	if (n->redact.count > REDACT_PATHS_MAX)
		return err_set(err, ERR_PERMANENT,
		    "more than %d paths to redact of %s", REDACT_PATHS_MAX,
		    n->kind);
	if (add_fields(n, k, err) != 0)
		return -1;
	watch_kind_name(&e->primary, &name);
	textlist_add_once(&n->deciders, buf_span(&name));
	buf_release(&name);
	return 0;
}

static int
add(struct watchspecs *w, const struct watches *file,
    const struct watch_entry *e, const struct watch_kind *k, struct err *err)
{
	return add_kind(w, file, e, k, err) == 0
	    ? 0
	    : err_prefix(err, "%s:%d", file->path, k->line);
}

int
watchspecs_add_watches(
    struct watchspecs *w, const struct watches *file, struct err *err)
{
	for (size_t i = 0; i < file->count; i++) {
		const struct watch_entry *e = &file->entries[i];

		if (add(w, file, e, &e->primary, err) != 0)
			return -1;
		for (size_t j = 0; j < e->dependent_count; j++)
			if (add(w, file, e, &e->dependents[j], err) != 0)
				return -1;
		for (size_t j = 0; j < e->related_count; j++)
			if (add(w, file, e, &e->related[j], err) != 0)
				return -1;
		if (file->namespaces.kind != NULL &&
		    add(w, file, e, &file->namespaces, err) != 0)
			return -1;
	}
	return 0;
}

static void
add_spelling(struct watchspecs *w, const char *p, size_t n, const char *name,
    const struct watchspec_opts *o)
{
	struct watchspec *spec = watchspecs_add(w);
	struct buf fields = BUF_INIT;

	spec->spelling = mem_dup(p, n);
	spec->name = mem_strdup(name);
	spec->missing = WATCHSPEC_FATAL;
	spec->selector = mem_strdup(o->selector);
	textlist_copy(&spec->namespaces, o->namespaces);
	if (o->field_selector != NULL)
		buf_adds(&fields, o->field_selector);
	if (name != NULL)
		buf_addf(&fields, "%smetadata.name=%s",
		    fields.len > 0 ? "," : "", name);
	if (fields.len > 0)
		spec->field_selector = buf_take(&fields);
	buf_release(&fields);
}

int
watchspecs_add_operand(struct watchspecs *w, const char *operand,
    const struct watchspec_opts *o, struct err *err)
{
	const char *slash = strchr(operand, '/');
	const char *p = operand, *end = strchrnul(operand, '/');

	if (slash != NULL && (slash[1] == '\0' || strchr(slash + 1, '/')))
		return err_set(
		    err, ERR_PERMANENT, "\"%s\" is not RESOURCE/NAME", operand);
	if (slash != NULL && memchr(operand, ',', (size_t)(slash - operand)))
		return err_set(err, ERR_PERMANENT,
		    "\"%s\": a name goes with one resource", operand);
	while (p < end) {
		size_t n = strcspn(p, ",/");

		if (n == 0)
			break;
		add_spelling(w, p, n, slash != NULL ? slash + 1 : NULL, o);
		p += n;
		if (*p != ',')
			return 0;
		p++;
	}
	return err_set(
	    err, ERR_PERMANENT, "\"%s\" names an empty resource", operand);
}

void
watchspec_respell(struct watchspec *n, const char *plural, const char *group)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s%s%s", plural, *group != '\0' ? "." : "", group);
	free(n->spelling);
	n->spelling = buf_take(&b);
}

struct watchspec *
watchspecs_add_like(struct watchspecs *w, const struct watchspec *like,
    const char *plural, const char *group)
{
	struct watchspec *spec = watchspecs_add(w);

	watchspec_respell(spec, plural, group);
	spec->missing = WATCHSPEC_FATAL;
	spec->selector = mem_strdup(like->selector);
	spec->field_selector = mem_strdup(like->field_selector);
	textlist_copy(&spec->namespaces, &like->namespaces);
	return spec;
}

bool
watchspec_fits(const struct watchspec *n, const struct watchspec *operand)
{
	return !watchspec_selects(n->field_selector) ||
	    !watchspec_selects(operand->field_selector) ||
	    strcmp(n->field_selector, operand->field_selector) == 0;
}

int
watchspec_unite(
    struct watchspec *n, const struct watchspec *operand, struct err *err)
{
	if (add_selector(n, operand->selector, false, err) != 0)
		return -1;
	if (!same_selector(n->field_selector, operand->field_selector)) {
		free(n->field_selector);
		n->field_selector = NULL;
	}
	add_scope(n, false, &operand->namespaces, NULL);
	add_whole(n);
	return 0;
}

void
watchspecs_release(struct watchspecs *w)
{
	for (size_t i = 0; i < w->count; i++) {
		struct watchspec *n = w->items[i];

		free(n->spelling);
		free(n->name);
		free(n->group);
		free(n->version);
		free(n->kind);
		release_scope(n);
		free(n->selector);
		free(n->field_selector);
		project_free(n->project);
		textlist_release(&n->redact);
		textlist_release(&n->deciders);
		free(n);
	}
	free(w->items);
	*w = (struct watchspecs){NULL, 0};
}
