/*
 * hookclient: where a webhook is, as CustomResourceDefinitions and webhook
 * configurations say it: a url, or a service.
 * Source: apiserver/pkg/util/webhook/validation.go. What url.Parse itself
 * refuses is taken here, and so is any caBundle.
 */
#ifndef HOOKCLIENT_H
#define HOOKCLIENT_H

#include "type/cause.h"

/* Adds what is wrong with the clientConfig at path. */
void hookclient_check(
    struct causes *c, struct span path, const struct node *client);

#endif
