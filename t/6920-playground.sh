#!/bin/bash
# The playground on an API server: only by the statuses that it writes, a
# Deployment becomes Available and a StatefulSet steps through its ordinals;
# then it is silent.
# servers: kapi real
. "${0%/*}/lib.sh"
. "${0%/*}/cluster/lib.sh"
cluster_start
playground

kubectl apply -f - >/dev/null <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: b}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: default}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: a, image: b}, {name: c, image: d}]}
  volumeClaimTemplates:
  - metadata: {name: volume}
    spec:
      accessModes: [ReadWriteOnce]
      resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {type: LoadBalancer, selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: inside, namespace: default}
spec: {selector: {app: web}, ports: [{port: 80}]}
END

ok "the Deployment becomes Available" kubectl wait --timeout=240s \
	--for=condition=Available deployment/web || show_logs playground
ok "the StatefulSet steps through its ordinals" \
	kubectl rollout status --timeout=240s statefulset/db

# Addresses are computed from the uid: the test only checks that there is one.
facts() {
	kubectl get pods,services,persistentvolumeclaims -o json | jq -r '
		.items[] | select(.metadata.name != "kubernetes")
		| [.kind, (.metadata.name | sub("^web-.*"; "web-x")),
		(.status | .phase, (.conditions | length),
		(.containerStatuses // [] | map(.ready) | tostring),
		(.podIP // .loadBalancer.ingress[0].ip // "" | gsub("[0-9]+"; "0")),
		(.capacity.storage // ""))] | join(" ")' | sort
}
want="PersistentVolumeClaim volume-db-0 Bound 0 []  1Gi
PersistentVolumeClaim volume-db-1 Bound 0 []  1Gi
PersistentVolumeClaim volume-db-2 Bound 0 []  1Gi
Pod db-0 Running 4 [true,true] 0.0.0.0 
Pod db-1 Running 4 [true,true] 0.0.0.0 
Pod db-2 Running 4 [true,true] 0.0.0.0 
Pod web-x Running 4 [true] 0.0.0.0 
Pod web-x Running 4 [true] 0.0.0.0 
Pod web-x Running 4 [true] 0.0.0.0 
Service inside  0 []  
Service web  0 [] 0.0.0.0 "
facts_are() {
	[ "$(facts)" = "$want" ]
}
wait_for 20 facts_are
is "$(facts)" "$want" "pods run, claims are bound, the load balancer has an IP"

writes() {
	audit_writes playground | awk '{print $2, $3, $5}' | sort | uniq -c |
		awk '{print $2, $3, $4, $1}'
}
is "$(writes)" "patch persistentvolumeclaims/status 200 3
patch pods/status 200 6
patch services/status 200 1" "one write for each, nothing else"

kubectl rollout restart deployment/web >/dev/null
ok "a rollout goes through" \
	kubectl rollout status --timeout=240s deployment/web
kubectl scale statefulset/db --replicas=1 >/dev/null
scaled() {
	gone pod/db-1 && gone pod/db-2
}
ok "scaling down, too" wait_for 30 scaled
done_testing
