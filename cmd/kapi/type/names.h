/*
 * names: which names the API server takes, and how it words what it does not.
 * Source: apimachinery/pkg/api/validate/content.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>

#include "base/span.h"
#include "type/problem.h"

enum name_rule {
	NAME_SUBDOMAIN, /* DNS-1123 subdomain: most kinds */
	NAME_LABEL,	/* DNS-1123 label: namespaces */
	NAME_DNS1035,	/* DNS-1035 label */
	NAME_SEGMENT,	/* any segment of a path: RBAC */
	NAME_ADDRESS	/* an IP address in canonical form */
};

/* Adds everything that is wrong with the value. generate: it is a prefix of
 * names to come, and may end in a dash. */
void name_check(struct causes *c, struct span field, struct span value,
    enum name_rule rule, bool generate);
/* "Qualified names": keys of labels and annotations, finalizers, conditions.
 * shown is what the message quotes (annotation keys are compared lower case
 * and quoted as they are). */
void name_qualified(
    struct causes *c, struct span field, struct span shown, struct span value);
bool name_is_qualified(struct span value);
void name_label_value(struct causes *c, struct span field, struct span value);

/* The rules of names, worded as the server does it; NULL: fine. */
const char *name_check_subdomain(struct span name); /* DNS-1123 subdomain */
const char *name_check_dns1035(struct span name);
/* NAME_SUBDOMAIN or NAME_LABEL, of any length. */
const char *name_check_form(struct span name, enum name_rule rule);
const char *name_check_label_value(struct span value);
/* An address as IsValidIPForLegacyField has it: it need not be in canonical
 * form. */
const char *name_check_address(struct span s);
/* 4 (also of IPv4 in IPv6), 6, or 0 if it cannot be read; zeros in front are
 * taken. */
int name_address_family(struct span s);
/* A range of addresses, as IsValidCIDR has it. *family: 4, 6, or 0 if it cannot
 * be read. What is said may be in the arena. */
const char *name_check_cidr(struct arena *a, struct span s, int *family);

#endif
