#include "base/textlist.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
textlist_init(struct textlist *list)
{
	list->count = 0;
	list->items = mem_zalloc(sizeof(*list->items));
}

void
textlist_release(struct textlist *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct textlist){NULL, 0};
}

void
textlist_add(struct textlist *list, const char *p, size_t n)
{
	list->items =
	    mem_grow(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = mem_dup(p, n);
	list->items[list->count] = NULL;
}

void
textlist_copy(struct textlist *to, const struct textlist *from)
{
	textlist_release(to);
	textlist_init(to);
	for (size_t i = 0; i < from->count; i++)
		textlist_add(to, from->items[i], strlen(from->items[i]));
}

void
textlist_split(struct textlist *list, const char *text)
{
	while (*text != '\0') {
		size_t n = strcspn(text, ","), end = n;
		size_t start = strspn(text, " \t");

		while (end > start && isspace((unsigned char)text[end - 1]))
			end--;
		if (end > start)
			textlist_add(list, text + start, end - start);
		text += n + (text[n] == ',');
	}
}

bool
textlist_has(const struct textlist *list, const char *p, size_t n)
{
	for (size_t i = 0; i < list->count; i++)
		if (strlen(list->items[i]) == n &&
		    memcmp(list->items[i], p, n) == 0)
			return true;
	return false;
}

void
textlist_add_once(struct textlist *list, struct span text)
{
	if (!textlist_has(list, text.p, text.n))
		textlist_add(list, text.p, text.n);
}
