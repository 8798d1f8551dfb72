/* Part of kinds/kinds.h: the kinds of authorization.k8s.io. */
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    KINDS_REVIEW("localsubjectaccessreviews", REVIEW_ACCESS),
    KINDS_REVIEW("selfsubjectaccessreviews", REVIEW_SELF_ACCESS),
    KINDS_REVIEW("selfsubjectrulesreviews", REVIEW_RULES),
    KINDS_REVIEW("subjectaccessreviews", REVIEW_ACCESS),
};

const struct kind_group kinds_authorization = {
    "authorization.k8s.io", rows, COUNT(rows)};
