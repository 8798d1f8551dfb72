# kgen manifests without -o: one stream for kubectl apply.
include "gen/manifests";
