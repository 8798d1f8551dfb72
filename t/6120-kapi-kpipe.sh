#!/bin/bash
# What t/9020-kpipe.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9020-kpipe.sh"
