/*
 * goquantity: amounts of resources ("500m", "1Gi") in the form in which the API
 * server writes them.
 * Source: apimachinery/pkg/api/resource/{quantity,amount,suffix}.go.
 */
#ifndef GOQUANTITY_H
#define GOQUANTITY_H

#include "base/arena.h"
#include "base/span.h"

/*
 * text canonical: "1000m" is "1", "0.5" is "500m", "1024Mi" is "1Gi". Some
 * texts are kept although they are not ("1.500"), as the server keeps them.
 * The result is text itself, or in the arena. NULL, or what is wrong with it,
 * in the server's words.
 */
const char *goquantity_canonical(
    struct arena *a, struct span text, struct span *result);

/* The same, rounded up to thousandths, as quantities in a ResourceList are. */
const char *goquantity_round(
    struct arena *a, struct span text, struct span *result);

#endif
