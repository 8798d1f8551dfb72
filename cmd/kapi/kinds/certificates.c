/* The kinds of certificates.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"

static const struct strategy rows[] = {
    {
	.plural = "certificatesigningrequests",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
	.prepare_status = signing_status_prepare,
    },
};

const struct kind_group kinds_certificates = {
    "certificates.k8s.io", rows, COUNT(rows)};
