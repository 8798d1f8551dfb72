#include "failure/notice.h"

#include "json/json.h"

static void
add_member(struct buf *b, const char *key, const char *value)
{
	json_add_key(b, key);
	json_add_str(b, value);
}

static void
add_part(struct buf *b, const char *key, struct span value)
{
	if (value.n == 0)
		return;
	json_add_key(b, key);
	json_add_string(b, value);
}

void
notice_add(struct buf *b, const struct notice *n)
{
	buf_adds(b,
	    "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[],"
	    "\"reconcile\":{\"primary\":{");
	add_part(b, "apiVersion", n->about.api_version);
	add_part(b, "kind", n->about.kind);
	add_part(b, "namespace", n->about.namespace_);
	add_part(b, "name", n->about.name);
	add_part(b, "uid", n->about.uid);
	buf_adds(b, "},\"events\":[{");
	add_member(b, "type", n->type);
	add_member(b, "reason", n->reason);
	add_member(b, "message", n->message);
	buf_adds(b, "}]");
	add_member(b, "manager", n->manager);
	buf_adds(b, "}}");
}
