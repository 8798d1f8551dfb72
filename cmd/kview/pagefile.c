#include "pagefile.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/mem.h"
#include "json/json.h"
#include "process/file.h"
#include "value/base64.h"
#include "value/digest.h"

enum {
	WHOLE_MAX = 12 * 1024 * 1024, /* bytes of all whole objects */
	OBJECT_MAX = 64 * 1024,	      /* bytes of a whole object */
	FLUSH_AT = 256 * 1024
};

/* ---- the parts of the page, in the folder page ---- */

/* A file, by .incbin: assembled where make runs, at the top of the repository. */
#define PART(name, file)                                                    \
	extern const char pagefile_##name[], pagefile_##name##_end[];       \
	__asm__(".section .rodata\n"                                        \
		"pagefile_" #name ": .incbin \"cmd/kview/page/" file "\"\n" \
		"pagefile_" #name "_end: .byte 0\n"                         \
		".previous\n")

PART(html, "page.html");
PART(policy, "policy.html");
PART(live_html, "live.html");
PART(css, "page.css");
PART(panel, "panel.css");
PART(live_css, "live.css");
PART(model, "model.js");
PART(axis, "axis.js");
PART(view, "view.js");
PART(tree, "tree.js");
PART(picture, "picture.js");
PART(overview, "overview.js");
PART(table, "table.js");
PART(details, "details.js");
PART(panels, "panels.js");
PART(live, "live.js");
PART(main, "main.js");

#define SPAN_OF(name)              \
	span_make(pagefile_##name, \
	    (size_t)(pagefile_##name##_end - pagefile_##name))

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

/* Appends text as the text of an element. */
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

/* ---- the page in a file ---- */

static void
flush(struct pagefile *p)
{
	if (p->error == 0 && file_write(p->fd, buf_span(&p->out)) != 0)
		p->error = errno;
	buf_reset(&p->out);
}

/* Puts the line that was made, and its end. */
static void
put_line(void *arg)
{
	struct pagefile *p = arg;

	p->written += p->line.len + 1;
	viewrow_add_escaped(&p->out, buf_span(&p->line));
	buf_addc(&p->out, '\n');
	buf_reset(&p->line);
	if (p->out.len >= FLUSH_AT)
		flush(p);
}

void
pagefile_begin(struct pagefile *p, int fd, struct span title)
{
	struct span html = SPAN_OF(html);
	struct buf *b = &p->out;

	*p = (struct pagefile){.fd = fd};
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
pagefile_release(struct pagefile *p)
{
	buf_release(&p->out);
	buf_release(&p->line);
	free(p->source);
}

static void
add_text(struct pagefile *p, const char *key, struct span text)
{
	json_add_key(&p->line, key);
	json_add_string(&p->line, text);
}

static void
put_track(struct pagefile *p, struct track *t)
{
	viewrow_tell_track(t, VIEWROW_FILE, &p->line, put_line, p);
}

static void
put_object(struct pagefile *p, const struct track *t)
{
	size_t n = t->object == NULL ? 0 : t->object->n;

	if (n == 0)
		return;
	if (n > OBJECT_MAX || p->whole + n > WHOLE_MAX) {
		p->left_out++;
		return;
	}
	p->whole += n;
	viewrow_add_object(&p->line, t);
	put_line(p);
}

void
pagefile_source(struct pagefile *p, const char *source, size_t line)
{
	if (p->source != NULL && p->source_line == line &&
	    strcmp(p->source, source) == 0)
		return;
	p->source_line = line;
	free(p->source);
	p->source = mem_strdup(source);
	buf_addc(&p->line, '{');
	add_text(p, "source", span_str(source));
	json_add_key(&p->line, "line");
	json_add_int(&p->line, (int64_t)line);
	buf_addc(&p->line, '}');
	put_line(p);
}

void
pagefile_row(struct pagefile *p, const struct viewrow *row)
{
	put_track(p, row->track);
	viewrow_add_json(&p->line, row);
	put_line(p);
	p->rows++;
	if (row->sort == ROW_GONE)
		put_object(p, row->track);
}

int
pagefile_end(struct pagefile *p, const struct tracks *all,
    const struct pagefile_end *end)
{
	const struct span scripts[] = {SPAN_OF(model), SPAN_OF(axis),
	    SPAN_OF(view), SPAN_OF(tree), SPAN_OF(picture), SPAN_OF(overview),
	    SPAN_OF(table), SPAN_OF(details), SPAN_OF(main)};
	struct span html = SPAN_OF(html);

	for (size_t i = 0; i < all->count; i++)
		if (all->list[i] != NULL && all->list[i]->told) {
			put_track(p, all->list[i]);
			put_object(p, all->list[i]);
		}
	buf_addf(&p->line,
	    "{\"end\":{\"lines\":%zu,\"bad\":%zu,\"objectsLeftOut\":%zu,"
	    "\"cut\":%s,\"timed\":%s",
	    end->lines, end->bad, p->left_out, end->cut ? "true" : "false",
	    end->timed ? "true" : "false");
	if (end->failure != NULL)
		add_text(p, "failure", span_str(end->failure));
	if (end->only != NULL)
		add_text(p, "only", span_str(end->only));
	buf_adds(&p->line, "}}");
	put_line(p);
	cut_at(&html, "{{data}}");
	buf_addspan(&p->out, cut_at(&html, "{{script}}"));
	for (size_t i = 0; i < COUNT(scripts); i++)
		buf_addspan(&p->out, scripts[i]);
	buf_addspan(&p->out, html);
	flush(p);
	return p->error == 0 ? 0 : -1;
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
pagefile_add_live(struct buf *b, struct buf *policy)
{
	const struct span scripts[] = {SPAN_OF(model), SPAN_OF(axis),
	    SPAN_OF(view), SPAN_OF(tree), SPAN_OF(picture), SPAN_OF(overview),
	    SPAN_OF(table), SPAN_OF(details), SPAN_OF(panels), SPAN_OF(live),
	    SPAN_OF(main)};
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
