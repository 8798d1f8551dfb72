#include "writers.h"

#include <string.h>

#include "base/hash.h"

/* Objects with more entries are not followed. */
enum { ENTRIES_MAX = 32, DEPTH_MAX = 32 };

struct mark {
	uint32_t who;	 /* hash of all that tells entries apart */
	uint32_t when;	 /* hash of the time; 0: it has none */
	uint32_t size;	 /* length of the text of its fields */
	uint32_t values; /* hash of those of its fields; 0: not known */
};

struct writers {
	uint32_t count;
	struct mark marks[];
};

/* An entry, taken apart. */
enum { MANAGER, OPERATION, VERSION, SUBRESOURCE, TIME, FIELDS, PARTS };
static const char *const part_names[PARTS] = {
    "manager", "operation", "apiVersion", "subresource", "time", "fieldsV1"};

struct manager_entry {
	struct span parts[PARTS];
	struct span name; /* the manager, between its quotes */
};

static size_t
size_of(size_t count)
{
	return sizeof(struct writers) + count * sizeof(struct mark);
}

void
writers_free(struct writers *marks, struct pool *pool)
{
	if (marks != NULL)
		pool_free(pool, marks, size_of(marks->count));
}

/* ---- entries ---- */

/* Returns how many there are, or 0 if they are too many. */
static size_t
read_entries(struct span managed_fields, struct manager_entry all[ENTRIES_MAX])
{
	const char *list = span_find(managed_fields, '[');
	struct json_elements e;
	size_t count = 0;

	if (list == NULL)
		return 0;
	e = json_elements(
	    span_skip(managed_fields, (size_t)(list - managed_fields.p)));
	while (json_element(&e)) {
		struct manager_entry *x = &all[count];

		if (count++ == ENTRIES_MAX)
			return 0;
		json_pick(e.value, part_names, PARTS, x->parts);
		x->name = json_raw_string(x->parts[MANAGER]);
	}
	return count;
}

/* By these names the server itself keeps what it joined, or what nobody was
 * noted for (managedfields/internal/capmanagers.go, skipnonapplied.go). */
static bool
is_writer(const struct manager_entry *x)
{
	return x->name.n > 0 && !span_is(x->name, "ancient-changes") &&
	    !span_is(x->name, "before-first-apply");
}

/* ---- marks ---- */

enum { COST_MAX = 64 << 20 };

static void
mix(uint32_t *sum, struct span text)
{
	uint64_t h = hash_text(text);

	*sum = (*sum ^ (uint32_t)h) * 16777619u + (uint32_t)(h >> 32);
}

/* The plain values of the fields, along names. Elements of lists are left out,
 * and what others may add to. */
static void
mix_values(uint32_t *sum, struct span fields, struct span value, int depth)
{
	enum json_type type = json_type(value);

	if (type != JSON_OBJECT && type != JSON_ARRAY)
		mix(sum, value);
	if (type != JSON_OBJECT || depth == 0)
		return;
	for (struct json_members m = json_members(fields); json_member(&m);) {
		struct buf key = BUF_INIT;

		if (!span_starts(m.key, "f:"))
			continue;
		buf_addspan(&key, span_skip(m.key, 2));
		mix_values(
		    sum, m.value, json_get(value, buf_str(&key)), depth - 1);
		buf_release(&key);
	}
}

static struct mark
mark_of(const struct manager_entry *x, const struct json_frame *f, bool values)
{
	struct mark m = {.size = (uint32_t)x->parts[FIELDS].n};

	for (size_t i = MANAGER; i <= SUBRESOURCE; i++)
		mix(&m.who, x->parts[i]);
	if (x->parts[TIME].n > 0)
		mix(&m.when, x->parts[TIME]);
	/* Each field is looked for in all of its object: not in a large one,
	 * which would hold up the others. Then nobody is named by values. */
	if (values && (uint64_t)x->parts[FIELDS].n * f->object.n <= COST_MAX) {
		mix_values(&m.values, x->parts[FIELDS], f->object, DEPTH_MAX);
		m.values |= 1;
	}
	return m;
}

/* Values are looked at of entries without a time, and of those that may be
 * written again within their second. */
static struct writers *
make_marks(struct pool *pool, const struct json_frame *f,
    const struct manager_entry *all, size_t count, enum writers_news news)
{
	struct writers *w = pool_zalloc(pool, size_of(count));
	struct span newest = SPAN_NONE;

	/* Times are all of one form, in UTC: their order is that of the text. */
	for (size_t i = 0; i < count; i++)
		if (span_cmp(all[i].parts[TIME], newest) > 0)
			newest = all[i].parts[TIME];
	w->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct span time = all[i].parts[TIME];

		w->marks[i] = mark_of(&all[i], f,
		    time.n == 0 ||
			(news != WRITERS_STATE && span_eq(time, newest)));
	}
	return w;
}

/* ---- changes ---- */

static const struct mark *
find(const struct writers *w, uint32_t who)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->marks[i].who == who)
			return &w->marks[i];
	return NULL;
}

/* An entry becomes larger, or gets a time, only by its own manager. */
static bool
took(const struct mark *now, const struct mark *old)
{
	return old == NULL || old->when != now->when || now->size > old->size;
}

static bool
changed_values(const struct mark *now, const struct mark *old)
{
	return now->size == old->size && now->values != 0 && old->values != 0 &&
	    now->values != old->values;
}

/* The next of names that are joined by " or "; false: there is none. */
static bool
next_name(struct span *names, struct span *name)
{
	static const char between[] = " or ";
	const size_t n = sizeof(between) - 1;
	const char *at =
	    names->n > 0 ? memmem(names->p, names->n, between, n) : NULL;

	*name = *names;
	if (at != NULL)
		name->n = (size_t)(at - names->p);
	*names = span_skip(*names, at != NULL ? name->n + n : names->n);
	return name->n > 0;
}

static void
add_name(struct buf *names, struct span name)
{
	struct span all = buf_span(names), one;

	while (next_name(&all, &one))
		if (span_eq(one, name))
			return;
	buf_adds(names, names->len > 0 ? " or " : "");
	buf_addspan(names, name);
}

/* An object that was just made has entries of its maker alone. */
static void
name_maker(const struct manager_entry *all, size_t count, struct buf *names)
{
	for (size_t i = 0; i < count; i++)
		if (!is_writer(&all[i]) || !span_eq(all[i].name, all[0].name))
			return;
	if (count > 0)
		buf_addspan(names, all[0].name);
}

static void
name_writers(const struct manager_entry *all, const struct writers *now,
    const struct writers *before, struct buf *names)
{
	struct span same = SPAN_NONE;
	size_t changed = 0;

	for (size_t i = 0; i < now->count; i++) {
		const struct mark *m = &now->marks[i];
		const struct mark *old = find(before, m->who);

		if (!is_writer(&all[i]))
			continue;
		if (took(m, old)) {
			add_name(names, all[i].name);
		} else if (changed_values(m, old) &&
		    !span_eq(same, all[i].name)) {
			same = all[i].name;
			changed++;
		}
	}
	if (names->len == 0 && changed == 1)
		buf_addspan(names, same);
}

void
writers_take(struct writers **marks, struct pool *pool,
    const struct json_frame *f, enum writers_news news, struct buf *names)
{
	struct manager_entry all[ENTRIES_MAX];
	size_t count = read_entries(f->managed_fields, all);
	struct writers *now = NULL;

	if (count > 0)
		now = make_marks(pool, f, all, count, news);
	if (now != NULL && news == WRITERS_CREATED)
		name_maker(all, count, names);
	else if (now != NULL && *marks != NULL && news == WRITERS_CHANGED)
		name_writers(all, now, *marks, names);
	writers_free(*marks, pool);
	*marks = now;
}

void
writers_unite(struct buf *names, struct span others)
{
	struct span one;

	if (names->len == 0 || others.n == 0)
		buf_reset(names);
	else
		while (next_name(&others, &one))
			add_name(names, one);
}
