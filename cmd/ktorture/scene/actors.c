#include "scene/actors.h"
#include <stdlib.h>
struct actors *actors_new(void) { return NULL; }
jv actors_change(struct actors *a, jv line) { (void)a; (void)line; return jv_array(); }
void actors_free(struct actors *a) { free(a); }
