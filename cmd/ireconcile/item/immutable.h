/*
 * immutable: fields that the API server accepts only when an object is created
 * (immutable(...) of the library). If the object exists, its values there are
 * the desired ones: other values would be refused for ever.
 */
#ifndef IMMUTABLE_H
#define IMMUTABLE_H

#include <jv.h>

/*
 * desired (consumed) with the values of observed at those paths where the two
 * do not agree; returned owned. Fields that observed lacks are left out.
 */
jv immutable_keep(jv desired, jv paths_peek, jv observed_peek);

#endif
