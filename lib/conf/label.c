#include "conf/label.h"

#include "json/json.h"

struct span
label_get(struct span labels, struct span key)
{
	for (struct json_members m = json_members(labels); json_member(&m);)
		if (span_eq(m.key, key))
			return m.value.n >= 2
			    ? span_make(m.value.p + 1, m.value.n - 2)
			    : SPAN_NONE;
	return SPAN_NONE;
}

bool
label_meets(enum label_op op, bool is_there, bool is_among)
{
	switch (op) {
	case LABEL_EXISTS:
		return is_there;
	case LABEL_ABSENT:
		return !is_there;
	case LABEL_NOT_IN:
		return !is_there || !is_among;
	case LABEL_IN:
	case LABEL_ABOVE:
	case LABEL_BELOW:
		break;
	}
	return is_there && is_among;
}
