// The versions are those of t/contender/go.mod.
module kpipe/t/clients/envtest

go 1.26.0
