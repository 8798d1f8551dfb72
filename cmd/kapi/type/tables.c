#include "type/tables.h"

/* Assembled where make runs: at the top of the repository. */
__asm__(".section .rodata\n"
	".global kapi_types, kapi_types_end\n"
	".global kapi_resources, kapi_resources_end\n"
	"kapi_types: .incbin \"cmd/kapi/type/types.txt\"\n"
	"kapi_types_end: .byte 0\n"
	"kapi_resources: .incbin \"cmd/kapi/type/resources.txt\"\n"
	"kapi_resources_end: .byte 0\n"
	".previous\n");

extern const char kapi_types[], kapi_types_end[];
extern const char kapi_resources[], kapi_resources_end[];

struct span
tables_types(void)
{
	return span_make(kapi_types, (size_t)(kapi_types_end - kapi_types));
}

struct span
tables_resources(void)
{
	return span_make(
	    kapi_resources, (size_t)(kapi_resources_end - kapi_resources));
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
