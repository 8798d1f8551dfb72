#include "set/confidential.h"

#include "json/json.h"
#include "kube/kubeerror.h"
#include "value/datakind.h"

bool
confidential(const struct set *s, const struct objref *id)
{
	struct json_elements kinds = json_elements(s->confidential);
	struct buf name = BUF_INIT;
	bool found = datakind(id->group, id->kind);

	objref_add_kind(&name, id->kind, id->group);
	while (!found && json_element(&kinds))
		found = json_is(kinds.value, buf_str(&name));
	buf_release(&name);
	return found;
}

struct span
confidential_kind(const struct set *s, const struct objref *id)
{
	return confidential(s, id) ? KUBE_ERROR_PRIVATE : id->kind;
}
