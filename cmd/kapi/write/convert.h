/*
 * convert: HorizontalPodAutoscalers between what is kept (autoscaling/v2) and
 * autoscaling/v1. convert_to and convert_from (write.h) call these.
 */
#ifndef CONVERT_H
#define CONVERT_H

#include "base/arena.h"
#include "json/tree.h"

/* In place; what is added is in the arena. */
void convert_scaler_to_v1(struct arena *a, struct node *o);
void convert_scaler_from_v1(struct arena *a, struct node *o);

#endif
