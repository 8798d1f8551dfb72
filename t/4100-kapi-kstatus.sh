#!/bin/bash
# What t/9400-kstatus.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9400-kstatus.sh"
