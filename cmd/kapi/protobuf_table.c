#include "protobuf_table.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "tables.h"

/* A memo of what is in the table, which never changes. */
static struct {
	struct wire_message *messages; /* by name, as the table is */
	size_t n;
} table;

static unsigned
number(struct span s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s.n; i++)
		n = n * 10 + (unsigned)(s.p[i] - '0');
	return n;
}

static void
set_type(struct wire_field *f, struct span type)
{
	static const char *const scalars[] = {
	    "string", "bytes", "int", "bool", "double"};

	if (type.p[0] == '[' || type.p[0] == '{') {
		f->shape = type.p[0] == '[' ? SHAPE_LIST : SHAPE_MAP;
		type = span_make(type.p + 1, type.n - 1);
	}
	for (unsigned i = 0; i < sizeof scalars / sizeof *scalars; i++)
		if (span_is(type, scalars[i])) {
			f->kind = (enum wire_kind)i;
			return;
		}
	f->kind = WIRE_MESSAGE;
	f->message = type;
}

static struct wire_field
parse_field(struct span line)
{
	struct wire_field f = {0};

	table_cell(&line); /* before the first tab there is nothing */
	f.number = number(table_cell(&line));
	f.name = table_cell(&line);
	if (span_is(f.name, "+"))
		f.shape = SHAPE_INLINE;
	set_type(&f, table_cell(&line));
	return f;
}

/* How many lines are messages and how many are fields. */
static void
count(size_t *messages, size_t *fields)
{
	struct span text = table_protobuf(), line;

	*messages = *fields = 0;
	while ((line = table_line(&text)).p != NULL) {
		if (line.n == 0 || line.p[0] == '#')
			continue;
		if (line.p[0] == '\t')
			(*fields)++;
		else
			(*messages)++;
	}
}

static void
load(void)
{
	struct span text = table_protobuf(), line;
	struct wire_field *fields;
	size_t messages, n;

	count(&messages, &n);
	table.messages = mem_array(NULL, messages, sizeof *table.messages);
	fields = mem_array(NULL, n, sizeof *fields);
	while ((line = table_line(&text)).p != NULL) {
		struct wire_message *m = &table.messages[table.n];

		if (line.n == 0 || line.p[0] == '#')
			continue;
		if (line.p[0] != '\t') {
			*m = (struct wire_message){line, fields, 0};
			table.n++;
			continue;
		}
		*fields++ = parse_field(line);
		m[-1].n++;
	}
}

static int
compare(const void *key, const void *message)
{
	return span_cmp(*(const struct span *)key,
	    ((const struct wire_message *)message)->name);
}

const struct wire_message *
wire_message(struct span name)
{
	if (table.messages == NULL)
		load();
	return bsearch(
	    &name, table.messages, table.n, sizeof *table.messages, compare);
}

const struct wire_field *
wire_field(const struct wire_message *m, unsigned n)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->fields[i].number == n)
			return &m->fields[i];
	return NULL;
}
