/*
 * imagename: the shapes of an image's name, as container registries take them
 * (the distribution specification), and of a version (semver.org).
 */
#ifndef IMAGENAME_H
#define IMAGENAME_H

#include <stdbool.h>

#include "base/span.h"

/* registry:5000/path/name, without a tag or a digest. */
bool imagename_is_repository(struct span s);
/* A repository with an optional :tag and an optional @sha256:digest. */
bool imagename_is_image(struct span s);
/* 1.2.3-rc.1+build */
bool imagename_is_version(struct span s);

#endif
