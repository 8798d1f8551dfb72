#!/bin/bash
# What t/9700-many.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9700-many.sh"
