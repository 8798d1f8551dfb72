# shellcheck shell=bash
# shellcheck disable=SC2034 # for those who read it
# The operators of pipeline/, as the tests on a node see them. After
# `operator NAME`:
#
#	$scope	of its manifests
#	$place	the namespace of its example
#	$edit	a sed script that changes its program: a second image
#	example		creates the example, and what it needs
#	promised	tests that it becomes what its README promises
#	change N	changes what users want, N is 1, 2, ...
#	followed N	it is done
#	is_edited	the second image's program is seen at work
operator() {
	scope=namespace place=$1-operator-system
	"operator_$1"
}

# object PATH JQ-FILTER: of an object in the API
object() {
	api "$1" | jq -r "$2"
}

operator_memcached() {
	scope=cluster place=default
	edit='s/-m=64/-m=128/'
	deployment_of_it=/apis/apps/v1/namespaces/default/deployments/example
	example() {
		push memcached:1.4.36-alpine
		kubectl apply -f pipeline/memcached/example.yaml
	}
	promised() {
		ok "the example is Ready" ready memcached/example
		is "$(kubectl get memcached example -o json |
			jq -r '.status.nodes | length')" 3 \
			"... with its three nodes"
	}
	change() {
		kubectl patch memcached example --type=merge \
			-p "{\"spec\": {\"size\": $((3 - $1 % 2))}}"
	}
	followed() {
		[ "$(object "$deployment_of_it" .spec.replicas)" = $((3 - $1 % 2)) ]
	}
	is_edited() {
		object "$deployment_of_it" '.spec.template.spec.containers[0].command' |
			grep -q -- -m=128
	}
}

operator_experimental() {
	edit='s/"v0.1"/"v0.2"/'
	pods_of_it="/api/v1/namespaces/$place/pods?labelSelector=app%3Dexample"
	example() {
		push busybox
		kubectl apply -n "$place" -f pipeline/experimental/example.yaml
	}
	promised() {
		ok "the example is Ready" ready experimental/example -n "$place"
		is "$(kubectl get experimental example -n "$place" -o json |
			jq -c .status.podNames)" \
			'["example-0","example-1","example-2"]' \
			"... with its three pods"
	}
	change() {
		kubectl patch experimental example -n "$place" --type=merge \
			-p "{\"spec\": {\"numberOfReplicas\": $((3 - $1 % 2))}}"
	}
	followed() {
		[ "$(object "$pods_of_it" '[.items[]
			| select(.metadata.deletionTimestamp == null)]
			| length')" = $((3 - $1 % 2)) ]
	}
	is_edited() {
		[ "$(object "$pods_of_it" 'any(.items[];
			.metadata.labels.version == "v0.2")')" = true ]
	}
}

operator_at() {
	edit='s/"Waiting", ""/"Waiting", "for its day"/'
	ats=/apis/at.example.com/v1alpha1/namespaces/$place/ats
	example() {
		push quay.io/quay/busybox
		kubectl apply -n "$place" -f pipeline/at/example.yaml
	}
	schedule() {
		kubectl patch at "$1" -n "$place" --type=merge \
			-p "{\"spec\": {\"schedule\": \"$2\"}}" >/dev/null
	}
	phase_of() {
		[ "$(object "$ats/$1" .status.phase)" = "$2" ]
	}
	promised() {
		ok "the example waits for its day" wait_for 180 phase_of example PENDING
		schedule example 2020-02-29T12:00:00Z
		ok "... which has come: it is DONE" wait_for 180 phase_of example DONE
		is "$(object "$ats/example" .status.exitCode)" 0 \
			"... with the exit code of its command"
		# shellcheck disable=SC2016
		is "$(kubectl logs example -n "$place")" \
			'-c echo "it is $(date)"' \
			"... which it got as it was written"
		kubectl apply -n "$place" -f - >/dev/null <<-END
			{"apiVersion": "at.example.com/v1alpha1", "kind": "At",
			 "metadata": {"name": "waits"}, "spec": {
			  "schedule": "2040-01-01T00:00:00Z", "command": "echo"}}
		END
	}
	# One after another is due.
	change() {
		kubectl apply -n "$place" -f - <<-END
			{"apiVersion": "at.example.com/v1alpha1", "kind": "At",
			 "metadata": {"name": "due-$1"}, "spec": {
			  "schedule": "2020-01-01T00:00:00Z", "command": "echo"}}
		END
	}
	followed() {
		phase_of "due-$1" DONE
	}
	is_edited() {
		object "$ats/waits" '.status.conditions[].message' |
			grep -q 'for its day'
	}
}

operator_cronjob() {
	edit='s/^def requeue:/def before: status;\
def status: before | .conditions[0].message = "of the second image";\
&/'
	cronjobs=/apis/batch.tutorial.kubebuilder.io/v1/namespaces/$place/cronjobs
	example() {
		push busybox
		kubectl apply -n "$place" -f pipeline/cronjob/example.yaml
	}
	# last_job: of the example, that has succeeded
	last_job() {
		object "/apis/batch/v1/namespaces/$place/jobs" '[.items[]
			| select(.metadata.name | startswith("example-"))
			| select(.status.succeeded == 1).metadata.name] | last
			| values'
	}
	has_run() {
		[ -n "$(last_job)" ]
	}
	promised() {
		ok "the example is Ready" ready \
			cronjobs.batch.tutorial.kubebuilder.io/example -n "$place"
		ok "... and runs at its minute" wait_for 180 has_run
		is "$(kubectl logs "job/$(last_job)" -n "$place")" \
			'-c date; echo hello' "... its command, as it was written"
	}
	# One after another is due. Its Job is suspended: that is no pod. If the
	# watch is late by a second, the next run is due meanwhile.
	change() {
		kubectl apply -n "$place" -f - <<-END
			{"apiVersion": "batch.tutorial.kubebuilder.io/v1",
			 "kind": "CronJob", "metadata": {"name": "due-$1"},
			 "spec": {"schedule": "@every 1s",
			  "concurrencyPolicy": "Forbid", "jobTemplate": {"spec":
			  {"suspend": true, "template": {"spec": {
			   "restartPolicy": "Never", "containers":
			   [{"name": "c", "image": "busybox"}]}}}}}}
		END
	}
	followed() {
		[ "$(object "$cronjobs/due-$1" '.status.active | length > 0')" = true ]
	}
	is_edited() {
		object "$cronjobs/example" '.status.conditions[].message' |
			grep -q 'second image'
	}
}

operator_iotservice() {
	scope=cluster
	edit='s/externalTrafficPolicy: "Local"/externalTrafficPolicy: "Cluster"/'
	instance=$place-example
	# What a cloud gives it: volumes, and the address of a load balancer.
	example() {
		# shellcheck disable=SC2046
		push $(sed -n 's/^ *image: //p' pipeline/iotservice/example.yaml)
		volume 1 20Gi && volume 2 20Gi && volume 3 10Gi && volume 4 10Gi
		kubectl create secret docker-registry image-pull-secret \
			-n "$place" --docker-server=registry.example.com \
			--docker-username=x --docker-password=x
		kubectl apply -n "$place" -f pipeline/iotservice/example.yaml
		wait_for 180 address iot-example "$instance"
	}
	promised() {
		ok "the example is Ready" ready iot/example -n "$place"
		is "$(phase iot example "$place")" Available "... and Available"
	}
	change() {
		kubectl patch iot example -n "$place" --type=merge \
			-p "{\"spec\": {\"cockpit\": {\"size\": $((1 + $1 % 2))}}}"
	}
	followed() {
		[ "$(object "/apis/apps/v1/namespaces/$instance/deployments/cockpit-example" \
			.spec.replicas)" = $((1 + $1 % 2)) ]
	}
	is_edited() {
		[ "$(object "/api/v1/namespaces/$instance/services/iot-example" \
			.spec.externalTrafficPolicy)" = Cluster ]
	}
}
