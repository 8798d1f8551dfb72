/*
 * json: what each reader and writer of JSON costs beside the next best way to
 * do the same, on the objects of a file with one object on a line. Nanoseconds
 * of CPU for each object, the best of five.
 *
 *	json <objects.jsonl
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <jv.h>

#include "agree/flat.h"
#include "base/array.h"
#include "base/mem.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "program/jvwire.h"
#include "project.h"

enum { ROUNDS = 5, REPEAT = 20 };

static struct object {
	struct span text;
	jv value;
} * objects;
static size_t count;
static struct buf out;
static struct project *project;
static size_t seen; /* so that nothing is optimized away */

static void
check(const struct object *o)
{
	seen += json_check(o->text, NULL) == 0;
}

static void
frame(const struct object *o)
{
	struct json_frame f;

	seen += json_object_frame(o->text, &f) == 0;
}

static const char *const keys[] = {
    "apiVersion", "kind", "metadata", "spec", "status"};

static void
pick(const struct object *o)
{
	struct span found[COUNT(keys)];

	json_pick(o->text, keys, COUNT(keys), found);
	seen += found[4].n;
}

static void
get_each(const struct object *o)
{
	for (size_t i = 0; i < COUNT(keys); i++)
		seen += json_get(o->text, keys[i]).n;
}

static void
flat(const struct object *o)
{
	struct flat f;

	flat_read(&f, o->text);
	seen += f.count;
	flat_release(&f);
}

static void
cut(const struct object *o)
{
	buf_reset(&out);
	project_cut(project, span_str("v1"), span_str("Pod"), o->text, &out);
	seen += out.len;
}

static void
parse(const struct object *o)
{
	jv v = jvtext_parse(o->text, NULL);

	seen += jv_is_valid(v);
	jv_free(v);
}

static void
libjq_parse(const struct object *o)
{
	jv v = jv_parse_sized(o->text.p, (int)o->text.n);

	seen += jv_is_valid(v);
	jv_free(v);
}

static void
print(const struct object *o)
{
	buf_reset(&out);
	jvtext_add(&out, o->value, NULL);
	seen += out.len;
}

static void
libjq_print(const struct object *o)
{
	jv text = jv_dump_string(jv_copy(o->value), JV_PRINT_SORTED);

	seen += (size_t)jv_string_length_bytes(jv_copy(text));
	jv_free(text);
}

static void
wire(const struct object *o)
{
	jv v;

	buf_reset(&out);
	jvwire_add(&out, o->value);
	v = jvwire_read(buf_span(&out));
	seen += jv_is_valid(v);
	jv_free(v);
}

static void
text_wire(const struct object *o)
{
	jv v;

	buf_reset(&out);
	jvtext_add_ordered(&out, o->value, JVTEXT_KEPT, NULL);
	v = jvtext_parse(buf_span(&out), NULL);
	seen += jv_is_valid(v);
	jv_free(v);
}

/* Of one object, in nanoseconds. */
static double
cost(void (*fn)(const struct object *))
{
	double best = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct timespec a, b;
		double ns;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
		for (int i = 0; i < REPEAT; i++)
			for (size_t j = 0; j < count; j++)
				fn(&objects[j]);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
		ns = ((double)(b.tv_sec - a.tv_sec) * 1e9 +
			 (double)(b.tv_nsec - a.tv_nsec)) /
		    REPEAT / (double)count;
		if (round == 0 || ns < best)
			best = ns;
	}
	return best;
}

int
main(void)
{
	static const struct {
		const char *what;
		void (*ours)(const struct object *);
		const char *other_name;
		void (*other)(const struct object *);
	} rows[] = {
	    {"json_check: is it JSON?", check, "libjq's parser", libjq_parse},
	    {"json_frame: key and version of an object", frame,
		"json_get of each", get_each},
	    {"json_pick: several members", pick, "json_get of each", get_each},
	    {"flat_read: every value, as text", flat, "jvtext_parse", parse},
	    {"project_cut: some fields, as text", cut, "jvtext_parse", parse},
	    {"jvtext_parse: text to libjq", parse, "libjq's parser",
		libjq_parse},
	    {"jvtext_add: libjq to text", print, "libjq's printer",
		libjq_print},
	    {"jvwire: libjq to libjq, there and back", wire, "as text",
		text_wire},
	};
	struct buf in = BUF_INIT;
	struct span rest;
	ssize_t n;

	while ((n = read(0, buf_reserve(&in, 65536), 65536)) > 0)
		in.len += (size_t)n;
	for (rest = buf_span(&in); rest.n > 0;) {
		struct span line = span_cut(&rest, '\n');

		objects = mem_realloc(objects, (count + 1) * sizeof(*objects));
		objects[count++] =
		    (struct object){line, jvtext_parse(line, NULL)};
	}
	project = project_new();
	project_add(project, "spec.containers[].image", NULL);
	printf("%zu objects of %zu bytes\n", count, in.len / count);
	for (size_t i = 0; i < COUNT(rows); i++) {
		double ours = cost(rows[i].ours), other = cost(rows[i].other);

		printf("%-42s %7.0f   %-17s %7.0f   %5.1f\n", rows[i].what,
		    ours, rows[i].other_name, other, other / ours);
	}
	return seen == 0;
}
