/*
 * narration: a record as lines for people, in the order of time.
 */
#ifndef NARRATION_H
#define NARRATION_H

#include <jv.h>

/* To stdout; takes the record. */
void narration_print(jv record);

#endif
