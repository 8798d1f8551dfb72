/*
 * bookmarks: annotations of a bookmark, by which kwatch says how far a kind is
 * listed (doc/protocol.md, "Event lines").
 */
#ifndef BOOKMARKS_H
#define BOOKMARKS_H

#define BOOKMARKS_BEGIN "kpipe.dev/initial-events-begin"
#define BOOKMARKS_LISTED "kpipe.dev/listed-namespaces"
#define BOOKMARKS_ABSENT "kpipe.dev/absent"
#define BOOKMARKS_END "k8s.io/initial-events-end" /* Kubernetes has it */

#endif
