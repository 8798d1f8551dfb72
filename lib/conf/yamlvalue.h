/*
 * yamlvalue: YAML documents as libjq's values, as Helm and kubectl read them.
 *
 * Both read YAML 1.1 (sigs.k8s.io/yaml, on go-yaml v2; yaml11.h): yes and on
 * are booleans, 0644 is 420; keys become texts. What yaml.h refuses is refused:
 * a key given twice, for example. Infinity and not-a-number are texts.
 */
#ifndef YAMLVALUE_H
#define YAMLVALUE_H

#include <jv.h>

#include "base/err.h"
#include "base/span.h"

/*
 * The documents in a list, owned; empty ones are left out. Invalid with err
 * "NAME:LINE: what".
 */
jv yamlvalue_documents(const char *name, struct span text, struct err *err);

#endif
