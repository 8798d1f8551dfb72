/* Part of kinds/kinds.h: the kinds of certificates.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct selectable certificate_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_TEXT("spec.signerName"),
    SELECTABLE_END,
};

static const struct reset certificate_resets[] = {
    {"", {"spec", "status"}},
    {"status", {"spec", "status.conditions"}},
    {"approval", {"spec", "status.certificate"}},
    RESET_END,
};

static const struct strategy rows[] = {
    {
	.plural = "certificatesigningrequests",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NAMES_REQUESTOR,
	.generation = GENERATION_NONE,
	.columns = "Name|Age|SignerName|Requestor|RequestedDuration|Condition",
	.cells = cells_signing,
	.fields = certificate_fields,
	.resets = certificate_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
	.deletion = DELETION_PLAIN,
	.prepare_status = misc_signing_status_prepare,
    },
};

const struct kind_group kinds_certificates = {
    "certificates.k8s.io", rows, COUNT(rows)};
