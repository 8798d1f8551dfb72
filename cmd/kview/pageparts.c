#include "pageparts.h"

#include "base/array.h"
#include "value/base64.h"
#include "value/digest.h"

/* Assembled where make runs: at the top of the repository. */
#define PART(name, file)                                                    \
	__asm__(".section .rodata\n"                                        \
		"pageparts_" name ": .incbin \"cmd/kview/page/" file "\"\n" \
		"pageparts_" name "_end: .byte 0\n"                         \
		".previous\n")

PART("html", "page.html");
PART("policy", "policy.html");
PART("live_html", "live.html");
PART("css", "page.css");
PART("panel", "panel.css");
PART("live_css", "live.css");
PART("model", "model.js");
PART("view", "view.js");
PART("picture", "picture.js");
PART("overview", "overview.js");
PART("table", "table.js");
PART("details", "details.js");
PART("panels", "panels.js");
PART("live", "live.js");
PART("main", "main.js");

#define SPAN_OF(name)               \
	span_make(pageparts_##name, \
	    (size_t)(pageparts_##name##_end - pageparts_##name))

extern const char pageparts_html[], pageparts_html_end[];
extern const char pageparts_css[], pageparts_css_end[];
extern const char pageparts_panel[], pageparts_panel_end[];
extern const char pageparts_model[], pageparts_model_end[];
extern const char pageparts_view[], pageparts_view_end[];
extern const char pageparts_picture[], pageparts_picture_end[];
extern const char pageparts_overview[], pageparts_overview_end[];
extern const char pageparts_table[], pageparts_table_end[];
extern const char pageparts_details[], pageparts_details_end[];
extern const char pageparts_policy[], pageparts_policy_end[];
extern const char pageparts_live_html[], pageparts_live_html_end[];
extern const char pageparts_live_css[], pageparts_live_css_end[];
extern const char pageparts_panels[], pageparts_panels_end[];
extern const char pageparts_live[], pageparts_live_end[];
extern const char pageparts_main[], pageparts_main_end[];

/* The part of *html before the mark, which is in it; *html moves behind it. */
static struct span
cut_at(struct span *html, const char *mark)
{
	const char *at = memmem(html->p, html->n, mark, strlen(mark));
	struct span before = *html;

	if (at == NULL)
		return before;
	before.n = (size_t)(at - html->p);
	*html = span_skip(*html, before.n + strlen(mark));
	return before;
}

/* As text of an element. */
static void
add_escaped(struct buf *b, struct span text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '<')
			buf_adds(b, "&lt;");
		else if (text.p[i] == '&')
			buf_adds(b, "&amp;");
		else
			buf_addc(b, text.p[i]);
	}
}

void
pageparts_add_head(struct buf *b, struct span title)
{
	struct span html = SPAN_OF(html);

	buf_addspan(b, cut_at(&html, "{{policy}}"));
	buf_addspan(b, SPAN_OF(policy));
	buf_addspan(b, cut_at(&html, "{{title}}"));
	add_escaped(b, title);
	buf_addspan(b, cut_at(&html, "{{style}}"));
	buf_addspan(b, SPAN_OF(css));
	buf_addspan(b, SPAN_OF(panel));
	buf_addspan(b, cut_at(&html, "{{live}}"));
	buf_addspan(b, cut_at(&html, "{{data}}"));
}

void
pageparts_add_tail(struct buf *b)
{
	const struct span scripts[] = {SPAN_OF(model), SPAN_OF(view),
	    SPAN_OF(picture), SPAN_OF(overview), SPAN_OF(table),
	    SPAN_OF(details), SPAN_OF(main)};
	struct span html = SPAN_OF(html);

	cut_at(&html, "{{data}}");
	buf_addspan(b, cut_at(&html, "{{script}}"));
	for (size_t i = 0; i < COUNT(scripts); i++)
		buf_addspan(b, scripts[i]);
	buf_addspan(b, html);
}

/* ---- live ---- */

/* The digest of what stands between these, as a policy names it. */
static void
add_hash(
    struct buf *policy, struct span page, const char *begin, const char *end)
{
	unsigned char digest[DIGEST_SIZE];
	struct span text;

	cut_at(&page, begin);
	text = cut_at(&page, end);
	digest_sha256(text, digest);
	buf_adds(policy, " 'sha256-");
	base64_add(policy, span_make((const char *)digest, sizeof(digest)));
	buf_addc(policy, '\'');
}

void
pageparts_add_live(struct buf *b, struct buf *policy)
{
	const struct span scripts[] = {SPAN_OF(model), SPAN_OF(view),
	    SPAN_OF(picture), SPAN_OF(overview), SPAN_OF(table),
	    SPAN_OF(details), SPAN_OF(panels), SPAN_OF(live), SPAN_OF(main)};
	struct span html = SPAN_OF(html);

	buf_addspan(b, cut_at(&html, "{{policy}}"));
	buf_addspan(b, cut_at(&html, "{{title}}"));
	buf_adds(b, "kpipe, live");
	buf_addspan(b, cut_at(&html, "{{style}}"));
	buf_addspan(b, SPAN_OF(css));
	buf_addspan(b, SPAN_OF(panel));
	buf_addspan(b, SPAN_OF(live_css));
	buf_addspan(b, cut_at(&html, "{{live}}"));
	buf_addspan(b, SPAN_OF(live_html));
	buf_addspan(b, cut_at(&html, "{{data}}"));
	buf_adds(b, "{\"live\":true}\n");
	buf_addspan(b, cut_at(&html, "{{script}}"));
	for (size_t i = 0; i < COUNT(scripts); i++)
		buf_addspan(b, scripts[i]);
	buf_addspan(b, html);
	buf_adds(policy,
	    "default-src 'none'; connect-src 'self'; base-uri 'none'; "
	    "form-action 'none'; frame-ancestors 'none'; style-src");
	add_hash(policy, buf_span(b), "<style>", "</style>");
	buf_adds(policy, "; script-src");
	add_hash(policy, buf_span(b), "<script>", "</script>");
}
