#!/bin/bash
# What t/9300-kapply.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9300-kapply.sh"
