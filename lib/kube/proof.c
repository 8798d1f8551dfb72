#include "kube/proof.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <openssl/crypto.h>

#include "json/json.h"
#include "value/base64.h"
#include "value/digest.h"

enum { TEXT_MAX = 65536, KEY_BYTES = 32, ORIGIN_MAX = 63, NAME_BYTES = 16 };

/* The versions of a proof: the member names no instance, and names one. */
static const char version_1[] = "v1 ", version_2[] = "v2 ";

/* ---- keys ---- */

static int
find_keys(struct proof *p, const char *what, struct err *err)
{
	struct span rest = buf_span(&p->text);

	for (unsigned n = 1; rest.n > 0; n++) {
		struct span line = span_trim(span_cut(&rest, '\n'), " \t\r");

		if (line.n == 0)
			continue;
		if (line.n < PROOF_KEY_MIN)
			return err_set(err, ERR_PERMANENT,
			    "%s: line %u: a key has at least %d characters",
			    what, n, PROOF_KEY_MIN);
		if (p->count == PROOF_KEYS_MAX)
			return err_set(err, ERR_PERMANENT,
			    "%s: more than %d keys", what, PROOF_KEYS_MAX);
		p->keys[p->count++] = line;
	}
	if (p->count > 0)
		return 0;
	return err_set(
	    err, ERR_PERMANENT, "%s: there is no key of marks in it", what);
}

int
proof_parse(
    struct proof *p, struct span text, const char *what, struct err *err)
{
	proof_release(p);
	/* Room at once: growing would leave copies behind. */
	buf_reserve(&p->text, text.n + 1);
	buf_addspan(&p->text, text);
	if (find_keys(p, what, err) == 0)
		return 0;
	proof_release(p);
	return -1;
}

int
proof_read(struct proof *p, int fd, struct err *err)
{
	unsigned char code[DIGEST_SIZE];
	char *to;
	ssize_t n;

	proof_release(p);
	to = buf_reserve(&p->text, TEXT_MAX);
	do {
		/* Processes that share a file share its offset, too. */
		n = pread(fd, to, TEXT_MAX - p->text.len, (off_t)p->text.len);
		if (n < 0 && errno == ESPIPE)
			n = read(fd, to, TEXT_MAX - p->text.len);
		if (n > 0) {
			p->text.len += (size_t)n;
			to += n;
		}
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return err_set(err, ERR_PERMANENT,
		    "cannot read the key of marks: %s", strerror(errno));
	/* The process that should have passed it on has ended, and logged
	 * why. */
	if (p->text.len == 0)
		return err_set(
		    err, ERR_TRANSIENT, "the key of marks did not come");
	if (find_keys(p, "the key of marks", err) == 0) {
		/* OpenSSL sets up more of itself at first use: not in a
		 * sandbox. */
		digest_hmac(p->keys[0], span_str(""), code);
		return 0;
	}
	proof_release(p);
	return -1;
}

void
proof_release(struct proof *p)
{
	if (p->text.data != NULL)
		OPENSSL_cleanse(p->text.data, p->text.cap);
	buf_release(&p->text);
	p->count = 0;
}

int
proof_make_key(struct buf *b, struct err *err)
{
	unsigned char bytes[KEY_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_set(err, ERR_TRANSIENT, "cannot make a key: %s",
		    strerror(errno));
	/* Room at once: growing would leave copies behind. */
	buf_reserve(b, 2 * sizeof(bytes) + 2);
	digest_add_hex(b, bytes, sizeof(bytes));
	buf_addc(b, '\n');
	OPENSSL_cleanse(bytes, sizeof(bytes));
	return 0;
}

/* ---- proofs ---- */

/* Each text has its length before it, so that two texts cannot be split in
 * another way. */
static void
add_part(struct buf *b, struct span text)
{
	buf_addf(b, "%zu:", text.n);
	buf_addspan(b, text);
}

static const char *
version(const struct proof_of *of)
{
	return of->instance.n > 0 ? version_2 : version_1;
}

/* Appends the HMAC, which only a holder of the key can compute. */
static void
add_code(struct buf *b, struct span key, const struct proof_of *of,
    struct span origin)
{
	unsigned char code[DIGEST_SIZE];
	struct buf text = BUF_INIT;

	buf_addf(&text, PROOF_MARK " %s", version(of));
	add_part(&text, of->primary);
	add_part(&text, origin);
	add_part(&text, of->item);
	if (of->instance.n > 0)
		add_part(&text, of->instance);
	digest_hmac(key, buf_span(&text), code);
	base64_add_url(b, span_make((const char *)code, sizeof(code)));
	buf_release(&text);
}

static void
derive_key(unsigned char out[DIGEST_SIZE], const struct proof *p,
    const char *what, struct span first, struct span second)
{
	struct span key = proof_has_key(p) ? p->keys[0] : span_str(PROOF_KNOWN);
	struct buf text = BUF_INIT;

	buf_adds(&text, what);
	add_part(&text, first);
	add_part(&text, second);
	digest_hmac(key, buf_span(&text), out);
	buf_release(&text);
}

void
proof_random_key(unsigned char out[DIGEST_SIZE], const struct proof *p,
    struct span primary, struct span origin)
{
	derive_key(out, p, "kpipe.dev/random v1 ", primary, origin);
}

void
proof_named_key(unsigned char out[DIGEST_SIZE], const struct proof *p,
    struct span kind, struct span ns)
{
	derive_key(out, p, "kpipe.dev/random-for v1 ", kind, ns);
}

void
proof_add(struct buf *b, const struct proof *p, const struct proof_of *of,
    struct span origin)
{
	buf_adds(b, version(of));
	buf_addspan(b, origin);
	buf_addc(b, ' ');
	add_code(b, p->keys[0], of, origin);
}

static bool
is_origin(struct span s)
{
	if (s.n == 0 || s.n > ORIGIN_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!span_is_alnum(c) && c != '-' && c != '.' && c != '_')
			return false;
	}
	return true;
}

/* Takes the annotation apart. */
static bool
split(struct span text, const char *version, struct span *origin,
    struct span *code)
{
	*code = text;
	if (!span_take(code, version))
		return false;
	*origin = span_cut(code, ' ');
	return code->p != NULL &&
	    (is_origin(*origin) || span_is(*origin, PROOF_RETAINED) ||
		span_is(*origin, PROOF_PATCHED));
}

enum proof_found
proof_check(const struct proof *p, struct span text, const struct proof_of *of,
    struct span *origin)
{
	struct buf want = BUF_INIT;
	struct span code;
	bool good = false;

	*origin = SPAN_NONE;
	if (text.p == NULL)
		return PROOF_NONE;
	if (!split(text, version(of), origin, &code))
		return PROOF_WRONG;
	for (size_t i = 0; i < p->count && !good; i++) {
		buf_reset(&want);
		add_code(&want, p->keys[i], of, *origin);
		good = want.len == code.n &&
		    CRYPTO_memcmp(want.data, code.p, code.n) == 0;
	}
	buf_release(&want);
	return good ? PROOF_GOOD : PROOF_WRONG;
}

struct span
proof_member_primary(struct span member)
{
	struct span rest = member;
	const char *space;

	for (int slashes = 0; slashes < 3; slashes++)
		span_cut(&rest, '/');
	if (rest.p == NULL)
		return member;
	space = span_find_last(
	    span_make(member.p, (size_t)(rest.p - member.p)), ' ');
	return space == NULL ? member
			     : span_make(member.p, (size_t)(space - member.p));
}

void
proof_add_patch_name(struct buf *b, struct span primary)
{
	unsigned char sum[DIGEST_SIZE];

	digest_sha256(primary, sum);
	buf_adds(b, PROOF_PATCH);
	digest_add_hex(b, sum, NAME_BYTES);
}

/* Text without its last words; SPAN_NONE: it has no more. */
static struct span
drop_words(struct span text, int count)
{
	const char *space;

	while (count-- > 0) {
		if ((space = span_find_last(text, ' ')) == NULL)
			return SPAN_NONE;
		text.n = (size_t)(space - text.p);
	}
	return text;
}

struct span
proof_patch_primary(struct span name, struct span value)
{
	static const int behind[] = {4, 1}; /* words, with a proof or without */
	struct span found = SPAN_NONE;
	struct buf want = BUF_INIT;

	for (size_t i = 0; found.p == NULL && i < 2; i++) {
		struct span key = drop_words(value, behind[i]);

		buf_reset(&want);
		proof_add_patch_name(&want, key);
		if (span_eq(name, buf_span(&want)))
			found = key;
	}
	buf_release(&want);
	return found;
}

struct span
proof_named_origin(struct span text)
{
	struct span origin, code;

	return text.p != NULL &&
		(split(text, version_1, &origin, &code) ||
		    split(text, version_2, &origin, &code))
	    ? origin
	    : SPAN_NONE;
}

struct span
proof_origin(struct span object)
{
	struct span annotations = json_path(object, "metadata.annotations");
	struct span origin =
	    json_raw_string(json_get(annotations, PROOF_ORIGIN));

	return is_origin(origin) ? origin : SPAN_NONE;
}

/* ---- claims ---- */

void
proof_add_claim_name(struct buf *b, struct span finalizer)
{
	unsigned char sum[DIGEST_SIZE];

	digest_sha256(finalizer, sum);
	buf_adds(b, PROOF_CLAIM);
	digest_add_hex(b, sum, NAME_BYTES);
}

struct span
proof_old_claim(struct span annotations, struct buf *scratch)
{
	if (json_get(annotations, PROOF_PATHS).n > 0)
		return SPAN_NONE;
	return json_string(json_get(annotations, PROOF_INSTANCE), scratch);
}

struct span
proof_claim(struct span annotations, struct span finalizer, struct buf *scratch)
{
	struct buf key = BUF_INIT;
	struct span name;

	proof_add_claim_name(&key, finalizer);
	name = json_string(json_get(annotations, buf_str(&key)), scratch);
	buf_release(&key);
	return name.n > 0 ? name : proof_old_claim(annotations, scratch);
}
