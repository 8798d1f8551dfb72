#include "conf/yamlanchor.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct yamlanchor {
	char *name;	   /* owned */
	struct yaml *node; /* owned; NULL: too much was copied */
};

static struct yamlanchor *
find(const struct yamlanchors *a, const char *name)
{
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->items[i].name, name) == 0)
			return &a->items[i];
	return NULL;
}

void
yamlanchors_release(struct yamlanchors *a)
{
	for (size_t i = 0; i < a->count; i++) {
		free(a->items[i].name);
		yaml_tree_free(a->items[i].node);
	}
	free(a->items);
	*a = (struct yamlanchors){0};
}

void
yamlanchors_set(
    struct yamlanchors *a, const char *name, const struct yaml *node)
{
	struct yamlanchor *at = find(a, name);

	if (at == NULL) {
		a->items = mem_grow(a->items, a->count, sizeof(*a->items));
		at = &a->items[a->count++];
		*at = (struct yamlanchor){.name = mem_strdup(name)};
	}
	yaml_tree_free(at->node);
	at->node = yamlanchors_copy(a, node);
}

const struct yaml *
yamlanchors_get(const struct yamlanchors *a, const char *name)
{
	const struct yamlanchor *at = find(a, name);

	return at != NULL ? at->node : NULL;
}

struct yaml *
yamlanchors_copy(struct yamlanchors *a, const struct yaml *node)
{
	struct yaml *y;

	a->copied += sizeof(*y) + (node->text ? strlen(node->text) : 0);
	if (a->copied > YAMLANCHOR_MAX)
		return NULL;
	y = mem_zalloc(sizeof(*y));
	y->type = node->type;
	y->line = node->line;
	y->quoted = node->quoted;
	if (node->text != NULL)
		y->text = mem_strdup(node->text);
	for (size_t i = 0; i < node->count; i++) {
		bool mapping = node->type == YAML_MAPPING;
		struct yaml *key =
		    mapping ? yamlanchors_copy(a, node->keys[i]) : NULL;
		struct yaml *value = yamlanchors_copy(a, node->values[i]);

		if (value == NULL || (mapping && key == NULL)) {
			yaml_tree_free(key);
			yaml_tree_free(value);
			yaml_tree_free(y);
			return NULL;
		}
		yaml_append(y, key, value);
	}
	return y;
}
