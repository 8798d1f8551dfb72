/*
 * story: a record as lines for people, in the order of time.
 */
#ifndef STORY_H
#define STORY_H

#include <jv.h>

/* To stdout; takes the record. */
void story_print(jv record);

#endif
