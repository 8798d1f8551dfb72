#include "kubelet/inflate.h"

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
static const char text[] =
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

void
inflate_release(struct inflater *i)
{
	if (i->begun)
		inflateEnd(&i->stream);
	i->begun = false;
}

/* zlib asks for it after the head of the stream. */
static int
set_dictionary(z_stream *z)
{
	struct buf b = {0};
	int e;
	struct span rest = span_str(words);

	while (rest.p != NULL) {
		struct span word = span_cut(&rest, ' ');

		buf_add(&b, "\0\0\0", 3);
		buf_addc(&b, (char)word.n);
		buf_addspan(&b, word);
		if (span_is(word, "200-OK"))
			b.data[b.len - 3] = ' ';
	}
	buf_adds(&b, text);
	e = inflateSetDictionary(z, (const Bytef *)b.data, (uInt)b.len);
	buf_release(&b);
	return e;
}

/* Z_OK: there may be more. Z_BUF_ERROR: all of the frame is read. */
static int
inflate_piece(z_stream *z, struct buf *out)
{
	unsigned char piece[PIECE];
	int e;

	z->next_out = piece;
	z->avail_out = sizeof(piece);
	e = inflate(z, Z_SYNC_FLUSH);
	if (e == Z_NEED_DICT)
		e = set_dictionary(z);
	buf_add(out, piece, sizeof(piece) - z->avail_out);
	return e;
}

int
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
