#!/bin/bash
# What t/9340-kapply-loops.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9340-kapply-loops.sh"
