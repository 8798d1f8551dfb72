/* flat_read against the cursor of json.h, on recordings and on odd texts. */
#include "agree/flat.h"

#include <string.h>

#include "base/array.h"
#include "process/file.h"
#include "tap.h"

static bool same(const struct flat *f, uint32_t i, struct span value);

static bool
same_members(const struct flat *f, uint32_t i, struct span value)
{
	const struct flat_value *v = f->values;
	struct json_members m = json_members(value);
	uint32_t k = i + 1;

	for (; json_member(&m); k = v[k + 1].next)
		if (k >= v[i].next || !span_eq(flat_span(&v[k]), m.key) ||
		    v[k].escaped != (memchr(m.key.p, '\\', m.key.n) != NULL) ||
		    !same(f, k + 1, m.value))
			return false;
	return k == v[i].next;
}

static bool
same_elements(const struct flat *f, uint32_t i, struct span value)
{
	const struct flat_value *v = f->values;
	struct json_elements e = json_elements(value);
	uint32_t k = i + 1;

	for (; json_element(&e); k = v[k].next)
		if (k >= v[i].next || !same(f, k, e.value))
			return false;
	return k == v[i].next;
}

static bool
same(const struct flat *f, uint32_t i, struct span value)
{
	const struct flat_value *v = &f->values[i];
	struct span text = flat_span(v);

	if (v->type == JSON_STRING)
		text = span_make(text.p - 1, text.n + 2);
	if (v->type != json_type(value) || !span_eq(text, value))
		return false;
	if (v->type == JSON_OBJECT)
		return same_members(f, i, value);
	if (v->type == JSON_ARRAY)
		return same_elements(f, i, value);
	return v->next == i + 1;
}

static bool
reads(struct span text)
{
	struct span rest = text, value = json_value(&rest);
	struct flat f;
	bool good;

	flat_read(&f, text);
	good = same(&f, 0, value) && f.values[0].next == f.count;
	flat_release(&f);
	return good;
}

static void
test_recording(const char *path)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	int lines = 0, wrong = 0;

	if (file_read(path, 64, &text, &err) != 0)
		printf("Bail out! %s\n", err.message);
	for (char *p = text.data, *end = p + text.len, *nl;
	     p < end && (nl = memchr(p, '\n', (size_t)(end - p))) != NULL;
	     p = nl + 1, lines++)
		wrong += !reads(span_make(p, (size_t)(nl - p)));
	ok(lines > 0 && wrong == 0, path);
	buf_release(&text);
}

/* Of text that is not JSON it makes something, within the text. */
TEST(broken)
{
	const char text[] = "{\"a\":[1,{\"b\\\"\":\"c\\\\\"}],\"d\":{}} ]\x01";
	struct flat f;

	for (size_t from = 0; from < sizeof(text); from++)
		for (size_t to = from; to < sizeof(text); to++) {
			flat_read(&f, span_make(text + from, to - from));
			for (uint32_t i = 0; i < f.count; i++)
				if (f.values[i].next > f.count ||
				    f.values[i].p + f.values[i].n > text + to)
					ok(false, "outside of the text");
			flat_release(&f);
		}
	ok(true, "broken texts are read");
}

TEST(flat)
{
	static const char *const texts[] = {"{}", "[]", "\"\"", "null",
	    "-1.5e3", " [ 1 , { \"a\\\"b\" : [ ] } , \"\\\\\" , true,false ] ",
	    "{\"a\":{\"b\":{\"c\":{}}},\"d\":[[[]]]}"};

	for (size_t i = 0; i < COUNT(texts); i++)
		ok(reads(span_str(texts[i])), texts[i]);
	test_recording("pipeline/memcached/t/life.jsonl");
	test_recording("pipeline/iotservice/t/life.jsonl");
}
