#include "trouble.h"

#include <stdlib.h>
#include <string.h>

bool
trouble_set(
    struct trouble *t, enum trouble_kind kind, char *text, uint64_t now_ms)
{
	bool known = t->text != NULL && strcmp(t->text, text) == 0;

	if (t->text == NULL)
		t->since_ms = now_ms;
	t->kind = kind;
	free(t->text);
	t->text = text;
	return !known;
}

bool
trouble_clear(struct trouble *t)
{
	bool some = t->text != NULL;

	free(t->text);
	*t = (struct trouble){0};
	return some;
}

uint64_t
trouble_due(const struct trouble *t)
{
	if (t->text == NULL)
		return 0;
	return t->kind == TROUBLE_LASTING ? t->since_ms
					  : t->since_ms + TROUBLE_PATIENCE_MS;
}
