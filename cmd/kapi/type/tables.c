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

static struct span
cut(struct span *text, char at)
{
	const char *end;
	struct span piece;

	if (text->n == 0)
		return SPAN_NONE;
	end = memchr(text->p, at, text->n);
	if (end == NULL) {
		piece = *text;
		*text = span_make(text->p + text->n, 0);
		return piece;
	}
	piece = span_make(text->p, (size_t)(end - text->p));
	*text = span_make(end + 1, text->n - piece.n - 1);
	return piece;
}

struct span
tables_line(struct span *text)
{
	return cut(text, '\n');
}

struct span
tables_cell(struct span *line)
{
	return cut(line, '\t');
}

struct span
tables_item(struct span *list)
{
	return cut(list, ',');
}
