/*
 * configdata: the programs of an operator as the data of a ConfigMap.
 *
 * They are the files that an image of the operator has: watches.yaml, and all
 * *.jq but those of tests. gen/program.jq makes the ConfigMap of them.
 */
#ifndef CONFIGDATA_H
#define CONFIGDATA_H

#include <jv.h>

#include "base/err.h"
#include "base/textlist.h"

enum { CONFIGDATA_MAX_MIB = 8 }; /* the largest file that is read */

/*
 * {digest, texts: {path: text}} of those among files, which are paths below folder
 * in an order that is always the same. digest is SHA-256, in hex, of names and texts. Owned; invalid with
 * err, which names the file: it cannot be read, or is not UTF-8.
 */
jv configdata_read(
    const char *folder, const struct textlist *files, struct err *err);

#endif
