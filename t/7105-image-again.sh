#!/bin/bash
# The image of an operator has the same bytes, wherever and whenever it is made.
# check-all: images
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=image.sh
. "${0%/*}/image.sh"
export LC_ALL=C

# The tools know whether anything was changed since the commit.
runs 0 "bin/ is of this commit" env -u BIN make -s
image_build -t localhost/memcached:1 pipeline/memcached
# A tree in another folder, which is compiled there.
git clone -q . "$T/clone" 2>/dev/null
git ls-files -co --exclude-standard |
	xargs -d '\n' ls -d 2>/dev/null | tar -cf - -T - |
	tar -xf - -C "$T/clone" --no-same-owner
git -C "$T/clone" update-index -q --refresh
runs 0 "built in another folder" make -s -j2 -C "$T/clone" \
	bin/{kpipe,kwatch,ireconcile,kapply,kstatus,kelect,kpipe-http,krecord,kview,kgen} \
	BUILD=build BIN=bin SANITIZE=
runs 0 "... and an image there, later" env TZ=Asia/Tokyo LC_ALL=C.UTF-8 \
	BIN="$T/clone/bin" bash -c "umask 077; cd '$T/clone' && deploy/image/build \
		-t localhost/memcached:1 pipeline/memcached '$T/second.tar'"
same "$T/second.tar" "$image" "... has the same bytes"
done_testing
