#!/bin/bash
# What t/9310-kapply-sets.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9310-kapply-sets.sh"
