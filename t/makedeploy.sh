# shellcheck shell=bash
# Sourced by tests of what kgen makes for a cluster: make_deploy NAME... makes
# the manifests, the chart and the bundle of these operators below $T/deploy, as
# `make manifests` does below deploy/. Without a name, of all; $operators has
# their names.

operators=(iotservice memcached at experimental cronjob)

make_deploy() {
	local name at

	for name in "${@:-${operators[@]}}"; do
		at=$T/deploy/$name
		[ ! -d "$at" ] || continue
		kgen manifests -f "pipeline/$name" -o "$at" &&
			kgen chart -f "pipeline/$name" -o "$at/chart" &&
			kgen bundle -f "pipeline/$name" -o "$at/bundle" ||
			flaw "the manifests of $name cannot be made"
	done 2>"$T/deploy.err"
}
