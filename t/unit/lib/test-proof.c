/* proof: whose marks they are; names may have spaces in them. */
#include "kube/proof.h"

#include "tap.h"

#define KEY "0123456789abcdef0123456789abcdef"
#define ROLE "Role.rbac.authorization.k8s.io/ns/"

static void
owner(const char *member, const char *want)
{
	struct span got = proof_member_primary(span_str(member));

	ok(span_is(got, want), member);
}

TEST(member)
{
	owner(
	    "Thing.example.com/ns/t ConfigMap/ns/c", "Thing.example.com/ns/t");
	owner("Wide.example.com//w ConfigMap/ns/c d e", "Wide.example.com//w");
	owner(ROLE "two words  " ROLE "a b", ROLE "two words ");
	owner(ROLE " v1 x ConfigMap//c", ROLE " v1 x");
	owner("no key", "no key");
	owner("Thing/ns/t", "Thing/ns/t");
	owner("a/b/cd/e", "a/b/cd/e");
	owner("", "");
}

/* The annotation of that primary: with a proof or without. */
static void
patch(const char *primary, const struct proof *p)
{
	struct buf name = BUF_INIT, value = BUF_INIT;
	struct span got;

	proof_add_patch_name(&name, span_str(primary));
	buf_adds(&value, primary);
	buf_adds(&value, " 00112233445566778899aabbccddeeff");
	if (p != NULL) {
		buf_addc(&value, ' ');
		proof_add(&value, p,
		    &(struct proof_of){.primary = span_str(primary),
			.item = span_str("ConfigMap/ns/c")},
		    span_str(PROOF_PATCHED));
	}
	got = proof_patch_primary(buf_span(&name), buf_span(&value));
	ok(span_is(got, primary), primary);
	buf_addc(&name, '0');
	got = proof_patch_primary(buf_span(&name), buf_span(&value));
	ok(got.p == NULL, "... the name of another mark");
	buf_release(&name);
	buf_release(&value);
}

TEST(patch)
{
	static const char *const primaries[] = {"Thing.example.com/ns/t",
	    ROLE "two words", ROLE " v1 + x", ROLE "a 0 v1 + x"};
	struct proof p = {0};
	struct err err = ERR_INIT;

	is(proof_parse(&p, span_str(KEY), "it", &err) == 0 ? "" : err.message,
	    "", "a key");
	for (size_t i = 0; i < 4; i++) {
		patch(primaries[i], NULL);
		patch(primaries[i], &p);
	}
	ok(proof_patch_primary(span_str(PROOF_PATCH), span_str("x")).p == NULL,
	    "a value without words");
	proof_release(&p);
}
