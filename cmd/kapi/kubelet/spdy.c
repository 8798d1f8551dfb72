#include "kubelet/spdy.h"

/* ---- inflate ---- */

enum {
	PIECE = 4096 /* bytes inflated at a time */
};

/* ---- the dictionary: SPDY/3, section 2.6.10.1 ---- */

static const char words[] =
    "options head post put delete trace accept accept-charset accept-encoding "
    "accept-language accept-ranges age allow authorization cache-control "
    "connection content-base content-encoding content-language content-length "
    "content-location content-md5 content-range content-type date etag expect "
    "expires from host if-match if-modified-since if-none-match if-range "
    "if-unmodified-since last-modified location max-forwards pragma "
    "proxy-authenticate proxy-authorization range referer retry-after server "
    "te trailer transfer-encoding upgrade user-agent vary via warning "
    "www-authenticate method get status 200-OK version HTTP/1.1 url public "
    "set-cookie keep-alive origin";
static const char dictionary[] =
    "100101201202205206300302303304305306307402405406407408409410411412413414"
    "415416417502504505203 Non-Authoritative Information204 No Content301 "
    "Moved "
    "Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 "
    "Internal Server Error501 Not Implemented503 Service UnavailableJan Feb "
    "Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, "
    "Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,"
    "application/xml,application/xhtml+xml,text/plain,text/javascript,"
    "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,"
    "utf-,*,enq=0.";

/* Z_OK: there may be more. Z_BUF_ERROR: all of the frame is read. */
static int
inflate_piece(z_stream *z, struct buf *out)
{
	unsigned char piece[PIECE];
	int e;

	z->next_out = piece;
	z->avail_out = sizeof(piece);
	e = inflate(z, Z_SYNC_FLUSH);
	if (e == Z_NEED_DICT) {
		/* zlib asks for the dictionary after the head of the stream. */
		struct buf b = {0};
		struct span rest = span_str(words);

		while (rest.p != NULL) {
			struct span word = span_cut(&rest, ' ');

			buf_add(&b, "\0\0\0", 3);
			buf_addc(&b, (char)word.n);
			buf_addspan(&b, word);
			if (span_is(word, "200-OK"))
				b.data[b.len - 3] = ' ';
		}
		buf_adds(&b, dictionary);
		e = inflateSetDictionary(z, (const Bytef *)b.data, (uInt)b.len);
		buf_release(&b);
	}
	buf_add(out, piece, sizeof(piece) - z->avail_out);
	return e;
}

/* Appends what one frame holds, all of it and at most max bytes. -1: it is
 * broken, or larger; the connection cannot go on. */
static int
inflate_frame(struct inflater *i, struct span in, size_t max, struct buf *out)
{
	z_stream *z = &i->stream;
	size_t from = out->len;
	int e;

	if (!i->begun && inflateInit(z) != Z_OK)
		return -1;
	i->begun = true;
	z->next_in = (Bytef *)(uintptr_t)in.p;
	z->avail_in = (uInt)in.n;
	do
		e = inflate_piece(z, out);
	while (e == Z_OK && out->len - from <= max);
	return e == Z_BUF_ERROR && out->len - from <= max ? 0 : -1;
}

/* ---- spdy ---- */

enum {
	CONTROL = 0x80,
	VERSION = 3,
	FIN = 1,
	CANCEL = 5 /* status of a reset */
};
enum frame_type {
	SYN_STREAM = 1,
	SYN_REPLY = 2,
	RST_STREAM = 3,
	PING = 6,
	GOAWAY = 7,
	HEADERS = 8
};

void
spdy_release(struct spdy_reader *r)
{
	buf_release(&r->control);
	buf_release(&r->headers);
	if (r->inflater.begun)
		inflateEnd(&r->inflater.stream);
	r->inflater.begun = false;
}

static uint32_t
word(const void *at)
{
	const unsigned char *p = at;

	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

/* ---- headers ---- */

/* The next text with its length; false: it is cut off. */
static bool
take_text(struct span *s, struct span *t)
{
	size_t n;

	if (s->n < 4)
		return false;
	n = word(s->p);
	if (n > s->n - 4)
		return false;
	*t = span_make(s->p + 4, n);
	*s = span_skip(*s, 4 + n);
	return true;
}

/* Finds a header: *value is that of name. False: the block is cut off. */
static bool
find(struct span s, const char *name, struct span *value)
{
	struct span key, text;
	uint32_t n;

	*value = SPAN_NONE;
	if (s.n < 4)
		return false;
	n = word(s.p);
	s = span_skip(s, 4);
	for (; n > 0; n--) {
		if (!take_text(&s, &key) || !take_text(&s, &text))
			return false;
		if (span_is(key, name))
			*value = text;
	}
	return s.n == 0;
}

struct span
spdy_header(const struct spdy_reader *r, const char *name)
{
	struct span value;

	find(span_make(r->headers.data, r->headers.len), name, &value);
	return value;
}

/* The rest of a control frame is a header block. */
static bool
read_headers(struct spdy_reader *r, size_t from)
{
	struct span block = buf_span(&r->control), value;

	if (block.n < from)
		return false;
	buf_reset(&r->headers);
	return inflate_frame(&r->inflater, span_skip(block, from),
		   SPDY_HEADERS_MAX, &r->headers) == 0 &&
	    find(buf_span(&r->headers), "", &value);
}

/* ---- frames ---- */

static enum spdy_event
with_id(struct spdy_reader *r, enum spdy_event e)
{
	if (r->control.len < 4)
		return SPDY_BAD;
	r->stream = word(r->control.data) & INT32_MAX;
	return e;
}

/* A control frame is whole. */
static enum spdy_event
finish(struct spdy_reader *r)
{
	r->fin = (r->head[4] & FIN) != 0;
	switch ((unsigned)r->head[2] << 8 | r->head[3]) {
	case SYN_STREAM:
		return read_headers(r, 10) ? with_id(r, SPDY_OPEN) : SPDY_BAD;
	case SYN_REPLY:
	case HEADERS:
		return read_headers(r, 4) ? SPDY_MORE : SPDY_BAD;
	case RST_STREAM:
		return with_id(r, SPDY_RESET);
	case PING:
		if (r->control.len != 4)
			return SPDY_BAD;
		r->stream = word(r->control.data);
		return SPDY_PING;
	case GOAWAY:
		return SPDY_GOAWAY;
	default:
		return SPDY_MORE;
	}
}

static enum spdy_event
take_head(struct spdy_reader *r)
{
	r->left = word(r->head + 4) & 0xffffff;
	buf_reset(&r->control);
	if ((r->head[0] & CONTROL) == 0)
		return SPDY_MORE;
	return r->head[0] == CONTROL && r->head[1] == VERSION &&
		r->left <= SPDY_CONTROL_MAX
	    ? SPDY_MORE
	    : SPDY_BAD;
}

static enum spdy_event
take_payload(struct spdy_reader *r, struct span piece)
{
	r->left -= (uint32_t)piece.n;
	if ((r->head[0] & CONTROL) == 0) {
		r->stream = word(r->head);
		r->data = piece;
		r->fin = r->left == 0 && (r->head[4] & FIN) != 0;
		return SPDY_DATA;
	}
	buf_addspan(&r->control, piece);
	return r->left == 0 ? finish(r) : SPDY_MORE;
}

enum spdy_event
spdy_read(struct spdy_reader *r, const char *p, size_t n, size_t *taken)
{
	enum spdy_event e = SPDY_MORE;
	size_t i = 0;

	while (i < n && e == SPDY_MORE) {
		size_t k;

		if (r->head_n < SPDY_HEAD) {
			r->head[r->head_n++] = (unsigned char)p[i++];
			if (r->head_n < SPDY_HEAD)
				continue;
			e = take_head(r);
			if (e != SPDY_MORE || r->left > 0)
				continue;
		}
		k = n - i < r->left ? n - i : r->left;
		e = take_payload(r, span_make(p + i, k));
		i += k;
		if (r->left == 0)
			r->head_n = 0;
	}
	*taken = i;
	return e;
}

/* ---- writing ---- */

static void
add_word(struct buf *b, uint32_t n)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_addc(b, (char)(n >> shift & 0xff));
}

static void
add_control(struct buf *b, enum frame_type type, size_t n)
{
	add_word(b, (uint32_t)CONTROL << 24 | VERSION << 16 | type);
	add_word(b, (uint32_t)n);
}

void
spdy_add_reply(struct buf *b, uint32_t stream, bool first)
{
	/* A zlib head with the dictionary; then zero headers, not compressed,
	 * and the empty block that Go's reader waits for. */
	static const char head[] = "\x78\xbb\xe3\xc6\xa7\xc2",
			  none[] = "\0\x04\0\xfb\xff\0\0\0\0\0\0\0\xff\xff";
	size_t head_n = first ? sizeof(head) - 1 : 0;

	add_control(b, SYN_REPLY, 4 + head_n + sizeof(none) - 1);
	add_word(b, stream);
	buf_add(b, head, head_n);
	buf_add(b, none, sizeof(none) - 1);
}

void
spdy_add_reset(struct buf *b, uint32_t stream)
{
	add_control(b, RST_STREAM, 8);
	add_word(b, stream);
	add_word(b, CANCEL);
}

void
spdy_add_ping(struct buf *b, uint32_t id)
{
	add_control(b, PING, 4);
	add_word(b, id);
}

void
spdy_add_data(struct buf *b, uint32_t stream, size_t n, bool fin)
{
	add_word(b, stream);
	add_word(b, (fin ? (uint32_t)FIN << 24 : 0) | (uint32_t)n);
}
