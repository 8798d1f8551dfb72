#include "natives.h"

#include "digest.h"
#include "jvtext.h"

static jv
sha256(jv text)
{
	unsigned char digest[DIGEST_SIZE];
	struct buf hex = BUF_INIT;
	struct span s = jvtext_span(text);
	jv result;

	if (s.p == NULL) {
		jv_free(text);
		return jv_invalid_with_msg(jv_string("sha256 takes a string"));
	}
	digest_sha256(s, digest);
	jv_free(text);
	digest_add_hex(&hex, digest, sizeof(digest));
	result = jv_string_sized(hex.data, (int)hex.len);
	buf_release(&hex);
	return result;
}

static jv
tojson(jv x)
{
	struct buf text = BUF_INIT;
	struct err err;
	jv result;

	if (jvtext_add_ordered(&text, x, JVTEXT_KEPT, &err) != 0)
		result = jv_invalid_with_msg(
		    jv_string_fmt("tojson: %s", err.message));
	else
		result = jv_string_sized(text.data, (int)text.len);
	buf_release(&text);
	jv_free(x);
	return result;
}

jv
natives_call(struct span name, jv x)
{
	if (span_is(name, "sha256"))
		return sha256(x);
	if (span_is(name, "tojson"))
		return tojson(x);
	jv_free(x);
	return jv_invalid_with_msg(jv_string("_call: no such function"));
}

jv
natives_error_text(jv x)
{
	/* An invalid value without a message is the end of the outputs. */
	return jv_get_kind(x) == JV_KIND_NULL ? jv_string("null") : x;
}
