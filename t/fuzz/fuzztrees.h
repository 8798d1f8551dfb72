/* fuzztrees: the trees of kapi in fuzzers: changed, and shown. */
#ifndef FUZZTREES_H
#define FUZZTREES_H

struct node;

/* Borrowed; NULL: none. */
extern const struct node *fuzz_trees[2];

/* From now on. */
void fuzztrees_begin(void);

/* Any node of a tree, NULL of none; those of about the same depth are equally
 * likely, and most are about so deep. */
struct node *fuzz_somewhere(struct node *n, unsigned depth);

#endif
