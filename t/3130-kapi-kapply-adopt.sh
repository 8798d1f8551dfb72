#!/bin/bash
# What t/9330-kapply-adopt.sh tests on the real control plane, on kapi.
SERVER=kapi exec bash "${0%/*}/9330-kapply-adopt.sh"
