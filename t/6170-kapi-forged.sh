#!/bin/bash
# What t/9170-forged.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9170-forged.sh"
