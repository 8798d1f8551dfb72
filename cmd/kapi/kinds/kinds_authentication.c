/* Part of kinds/kinds.h: the kinds of authentication.k8s.io. */
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    KINDS_REVIEW("selfsubjectreviews", REVIEW_SELF),
    KINDS_REVIEW("tokenreviews", REVIEW_TOKEN),
};

const struct kind_group kinds_authentication = {
    "authentication.k8s.io", rows, COUNT(rows)};
