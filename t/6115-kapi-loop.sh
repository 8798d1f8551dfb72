#!/bin/bash
# What t/9515-loop.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9515-loop.sh"
