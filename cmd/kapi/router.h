/*
 * router: where every request starts: it is authenticated, meets the plan of
 * faults and goes to the handler of its path.
 */
#ifndef ROUTER_H
#define ROUTER_H

struct api;
struct exchange;
struct httpd_request;
void router_serve(
    void *api, struct exchange *x, const struct httpd_request *request);
/* A request with a body that is too large: 413. */
void router_too_large(
    void *api, struct exchange *x, const struct httpd_request *request);

/* Forgets documents and counts of a cluster that is over. */
void router_forget(struct api *api);
/* Frees what router_serve keeps. */
void router_release(struct api *api);

#endif
