#include "type/tables.h"

/* Assembled where make runs: at the top of the repository. */
__asm__(".section .rodata\n"
	".global tables_types_text, tables_types_end\n"
	".global tables_resources_text, tables_resources_end\n"
	"tables_types_text: .incbin \"cmd/kapi/type/types.txt\"\n"
	"tables_types_end: .byte 0\n"
	"tables_resources_text: .incbin \"cmd/kapi/type/resources.txt\"\n"
	"tables_resources_end: .byte 0\n"
	".previous\n");

extern const char tables_types_text[], tables_types_end[];
extern const char tables_resources_text[], tables_resources_end[];

struct span
tables_types(void)
{
	return span_make(
	    tables_types_text, (size_t)(tables_types_end - tables_types_text));
}

struct span
tables_resources(void)
{
	return span_make(tables_resources_text,
	    (size_t)(tables_resources_end - tables_resources_text));
}

/* Absent behind the last piece; callers count bytes from where *text is. */
static struct span
next_piece(struct span *text, char at)
{
	struct span end = span_skip(*text, text->n), piece;

	if (text->n == 0)
		return SPAN_NONE;
	piece = span_cut(text, at);
	if (text->p == NULL)
		*text = end;
	return piece;
}

struct span
tables_line(struct span *text)
{
	return next_piece(text, '\n');
}

struct span
tables_cell(struct span *line)
{
	return next_piece(line, '\t');
}

struct span
tables_item(struct span *list)
{
	return next_piece(list, ',');
}

size_t
tables_list(struct arena *a, struct span list, const struct span **items)
{
	struct span *all = NULL, item;
	size_t n = 0;

	while ((item = tables_item(&list)).p != NULL) {
		all = arena_more(a, all, n, sizeof *all);
		all[n++] = item;
	}
	*items = all;
	return n;
}
