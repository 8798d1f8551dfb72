#ifndef ACTORS_H
#define ACTORS_H
#include <jv.h>
struct actors;
struct actors *actors_new(void);
jv actors_change(struct actors *a, jv line);
void actors_free(struct actors *a);
#endif
