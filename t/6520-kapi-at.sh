#!/bin/bash
# What t/9520-at.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9520-at.sh"
