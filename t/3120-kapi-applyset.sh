#!/bin/bash
# What t/9320-applyset.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9320-applyset.sh"
