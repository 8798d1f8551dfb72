#!/bin/bash
# What t/9100-kwatch.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9100-kwatch.sh"
