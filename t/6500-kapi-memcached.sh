#!/bin/bash
# What t/9500-memcached.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9500-memcached.sh"
