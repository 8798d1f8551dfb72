/*
 * immutable: fields that the API server takes only when an object is created
 * (immutable(...) of the library). Of an object that exists, what it has there
 * is what is desired: anything else would be refused for ever.
 */
#ifndef IMMUTABLE_H
#define IMMUTABLE_H

#include <jv.h>

/*
 * desired (consumed) with observed's values at the paths, where they do not
 * agree; returned owned. What observed lacks is left out.
 */
jv immutable_keep(jv desired, jv paths_peek, jv observed_peek);

#endif
