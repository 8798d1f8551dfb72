/* Part of kinds/kinds.h: the kinds of events.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"
#include "write/convert.h"

static const struct selectable event_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_NAMESPACE,
    {"regarding.kind", "involvedObject.kind", FIELD_TEXT},
    {"regarding.namespace", "involvedObject.namespace", FIELD_TEXT},
    {"regarding.name", "involvedObject.name", FIELD_TEXT},
    {"regarding.uid", "involvedObject.uid", FIELD_TEXT},
    {"regarding.apiVersion", "involvedObject.apiVersion", FIELD_TEXT},
    {"regarding.resourceVersion", "involvedObject.resourceVersion", FIELD_TEXT},
    {"regarding.fieldPath", "involvedObject.fieldPath", FIELD_TEXT},
    SELECTABLE_TEXT("reason"),
    {"reportingController", "reportingComponent", FIELD_TEXT},
    SELECTABLE_TEXT("type"),
    SELECTABLE_END,
};

static const struct strategy rows[] = {
    {
	.plural = "events",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_CREATE_ON_UPDATE | TRAIT_NO_COLLECTION,
	.generation = GENERATION_NONE,
	.columns =
	    "Last Seen|Type|Reason|Object|Subobject+|Source+|Message|First "
	    "Seen+|"
	    "Count+|Name+",
	.cells = cells_event,
	.fields = event_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = event_validate,
	.deletion = DELETION_PLAIN,
	.convert_to = convert_event_to,
	.convert_from = convert_event_from,
    },
};

const struct kind_group kinds_events = {"events.k8s.io", rows, COUNT(rows)};
