/*
 * random: numbers for uids, generated names, addresses; not for secrets. They
 * are the system's, or, after random_seed, those of a generator that gives the
 * same each time. What objects hold has a stream of its own: it does not depend
 * on how often the server was asked.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stddef.h>
#include <stdint.h>

enum random_stream { RANDOM_OBJECTS, RANDOM_ANSWERS, RANDOM_STREAMS };

/* All streams begin again; of the whole process. */
void random_seed(uint64_t seed);
void random_bytes(enum random_stream s, void *p, size_t n);
/* Of the stream for answers: how long a watch goes on. */
uint64_t random_number(void);
/* The seed; 0: there is none. */
uint64_t random_salt(void);

/* A version 4 UUID, and a NUL. */
enum { RANDOM_UUID = 36 };
void random_uuid(enum random_stream s, char out[RANDOM_UUID + 1]);

#endif
