#include "columns.h"

#include "json.h"

void
columns_add(struct buf *b, const struct resource *r)
{
	(void)r;
	buf_adds(b,
	    "[{\"name\":\"Name\",\"type\":\"string\",\"format\":\"name\","
	    "\"description\":\"\",\"priority\":0}]");
}

void
cells_add(struct buf *b, struct arena *a, const struct resource *r,
    const struct node *object)
{
	(void)a, (void)r;
	buf_addc(b, '[');
	json_add_string(b, node_path_text(object, "metadata.name"));
	buf_addc(b, ']');
}

void
row_conditions_add(
    struct buf *b, const struct resource *r, const struct node *object)
{
	(void)b, (void)r, (void)object;
}
