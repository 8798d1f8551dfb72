#include "agree/flat.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	BYTES_OF_VALUE = 10, /* the fewest, in most objects of the API */
};
static const uint32_t NONE = UINT32_MAX;

static struct flat_value *
add(struct flat *f, enum json_type type, const char *p)
{
	struct flat_value *v;

	if (f->count == f->room) {
		f->room *= 2;
		f->values = mem_array(f->values, f->room, sizeof(*f->values));
	}
	v = &f->values[f->count++];
	*v = (struct flat_value){p, 0, f->count, type, false};
	return v;
}

/* Adds the string whose text begins at p; returns the place behind it. */
static const char *
add_string(struct flat *f, const char *p, const char *end)
{
	struct flat_value *v = add(f, JSON_STRING, p);

	for (; p < end && *p != '"'; p++)
		if (*p == '\\') {
			v->escaped = true;
			p++;
		}
	p = p < end ? p : end;
	v->n = (uint32_t)(p - v->p);
	return p < end ? p + 1 : end;
}

static const char *
add_scalar(struct flat *f, const char *p, const char *end)
{
	enum json_type type = *p == 'n' ? JSON_NULL
	    : *p == 't'			? JSON_TRUE
	    : *p == 'f'			? JSON_FALSE
					: JSON_NUMBER;
	struct flat_value *v = add(f, type, p);

	do
		p++;
	while (p<end && * p> ' ' && *p != ',' && *p != ']' && *p != '}');
	v->n = (uint32_t)(p - v->p);
	return p;
}

/* Until it is closed, a container's `next` is the one around it. */
static void
close_container(struct flat *f, uint32_t *open, const char *behind)
{
	struct flat_value *v;

	if (*open == NONE)
		return;
	v = &f->values[*open];
	*open = v->next;
	v->next = f->count;
	v->n = (uint32_t)(behind - v->p);
}

void
flat_read(struct flat *f, struct span text)
{
	const char *p = text.p, *end = text.p + text.n;
	uint32_t open = NONE;

	f->count = 0;
	f->room = (uint32_t)(text.n / BYTES_OF_VALUE) + 1;
	f->values = mem_array(NULL, f->room, sizeof(*f->values));
	while (p < end) {
		switch (*p) {
		case '{':
		case '[':
			add(f, *p == '{' ? JSON_OBJECT : JSON_ARRAY, p)->next =
			    open;
			open = f->count - 1;
			p++;
			break;
		case '}':
		case ']':
			close_container(f, &open, ++p);
			break;
		case '"':
			p = add_string(f, p + 1, end);
			break;
		case ',':
		case ':':
		case ' ':
		case '\t':
		case '\n':
		case '\r':
			p++;
			break;
		default:
			p = add_scalar(f, p, end);
		}
	}
	while (open != NONE)
		close_container(f, &open, end);
	if (f->count == 0)
		add(f, JSON_NULL, text.p);
}

void
flat_release(struct flat *f)
{
	free(f->values);
	*f = (struct flat){NULL, 0, 0};
}
