#include "text/template.h"

#include "json/json.h"

void
template_add(struct buf *b, const char *text, const struct span *holes)
{
	if (*text == ',') {
		json_add_comma(b);
		text++;
	}
	while (*text != '\0') {
		size_t n = strcspn(text, "'%@");

		buf_add(b, text, n);
		text += n;
		if (*text == '\'')
			buf_addc(b, '"');
		else if (*text == '%')
			json_add_string(b, *holes++);
		else if (*text == '@')
			buf_addspan(b, *holes++);
		text += *text != '\0';
	}
}

struct span
template_span(struct arena *a, const char *text, const struct span *holes)
{
	struct buf b = BUF_INIT;

	template_add(&b, text, holes);
	return tree_keep(a, &b);
}

struct node *
template_tree(struct arena *a, const char *text, const struct span *holes)
{
	return tree_parse(
	    a, template_span(a, text, holes), TREE_LIMITS, NULL, NULL);
}
