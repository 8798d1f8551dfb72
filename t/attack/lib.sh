# shellcheck shell=bash
# What the attacks share (t/9970-attack.sh). After t/lib.sh, operator.sh:
#
#	attack_begin			# control plane, operators, victims
#	tries "a time of 1e17 s" thing late '{"do":"rfc3339","x":1e17}'
#	gets "its own object is Failed" failed late 'no time'
#	attack_end			# the table
#
# mallory may do what she likes in the namespace tenant, and nothing elsewhere;
# others have just the rights that an attack gives them (may). Each `gets` also
# shows that no other tenant was harmed: the victim's objects follow a change,
# and are the same objects as before; no stage of any operator was started
# again.

# as USER METHOD PATH [BODY]: the answer; its code in $T/code. A merge patch, or
# an apply if the method is APPLY.
as() {
	local user=$1 method=$2 path=$3 body=${4-} type=application/json
	local who=()

	case $method in
	PATCH) type=application/merge-patch+json ;;
	APPLY) method=PATCH type=application/apply-patch+yaml ;;
	esac
	[ "$user" = admin ] || who=(-H "Impersonate-User: $user")
	printf '%s' "$body" | curl -s -m 30 --cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" -H "Content-Type: $type" \
		-X "$method" --data-binary @- -w '%{stderr}%{http_code}' \
		"${who[@]}" "$CLUSTER_SERVER$path" 2>"$T/code"
}

# refused: whether the last request of `as` was refused
refused() {
	[ "$(<"$T/code")" -ge 400 ]
}

targets=/apis/attack.example.com/v1/namespaces
configmaps() {
	echo "/api/v1/namespaces/$1/configmaps/${2-}"
}

# target USER NAMESPACE NAME SPEC [METADATA]
target() {
	as "$1" POST "$targets/$2/targets" "{\"apiVersion\":\"attack.example.com/v1\",
		\"kind\":\"Target\",\"metadata\":{\"name\":\"$3\"${5:+,$5}},\"spec\":$4}"
}

# thing NAME SPEC: mallory's
thing() {
	target mallory tenant "$@" >/dev/null
}

# thing_from NAME: the same, with its spec on standard input
thing_from() {
	{
		printf '{"apiVersion":"attack.example.com/v1","kind":"Target","metadata":{"name":"%s"},"spec":' "$1"
		cat
		printf '}'
	} >"$T/large"
	curl -s -m 60 --cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" -H "Content-Type: application/json" \
		-H "Impersonate-User: mallory" --data-binary "@$T/large" \
		-o /dev/null -w '%{http_code}' \
		"$CLUSTER_SERVER$targets/tenant/targets" >"$T/code"
}

status_of() {
	api "$targets/$1/targets/$2" | jq -r ".status$3"
}

# failed NAME [PATTERN]: mallory's object is Failed, for that reason
failed() {
	[ "$(status_of tenant "$1" .phase)" = Failed ] &&
		status_of tenant "$1" .reason | grep -qE -- "${2:-.}"
}

available() {
	[ "$(status_of tenant "$1" .phase)" = Available ]
}

# answers NAME TEXT: the program's result for it
answers() {
	[ "$(api "$(configmaps tenant "$1")" | jq -r .data.answer)" = "$2" ]
}

there() {
	api "$1" >/dev/null
}

# may USER VERBS RESOURCES[.GROUP] [NAMESPACE]: grants exactly that
may() {
	local in=() kind=clusterrole name="$1-$RANDOM"

	[ -z "${4-}" ] || in=(-n "$4") kind=role
	kubectl create "$kind" "$name" "${in[@]}" --verb="$2" \
		--resource="$3" >/dev/null &&
		kubectl create "${kind}binding" "$name" "${in[@]}" \
			--user="$1" "--$kind=$name" >/dev/null
}

# part_of KEY: the label of the first version, which every user can compute
part_of() {
	printf %s "$1" | sha256sum | cut -c1-32
}

# marks PRIMARY ITEM [PROOF-FROM]: metadata's labels and annotations, as JSON
# members; with all other annotations of kpipe.dev of that object.
marks() {
	local more="{}"

	[ -z "${3-}" ] || more=$(api "$3" | jq -c '.metadata.annotations // {}
		| with_entries(select(.key | startswith("kpipe.dev/")))
		| del(.["kpipe.dev/member"], .["kpipe.dev/paths"])')
	jq -cn --arg l "$(part_of "$1")" --arg m "$1 $2" --argjson more "$more" \
		'{labels: {"kpipe.dev/part-of": $l},
		annotations: ($more + {"kpipe.dev/member": $m})}' |
		sed 's/^{//;s/}$//'
}

# ---- no other tenant is harmed ----

beat=0
# The victim's members: one by an owner reference, one by marks.
victims() {
	local path

	for path in "$targets/victim/targets/v" "$(configmaps victim v)" \
		"$(configmaps sys victim.v)" "$(configmaps sys precious)"; do
		api "$path" | jq -c '[.kind, .metadata.uid, .metadata.deletionTimestamp,
			.data.answer]'
	done
}

beats() {
	[ "$(api "$(configmaps victim v)" | jq -r .data.beat)" = "$beat" ] &&
		[ "$(api "$(configmaps sys victim.v)" | jq -r .data.beat)" = "$beat" ]
}

followed() {
	beat=$((beat + 1))
	as victim PATCH "$targets/victim/targets/v" "{\"spec\":{\"beat\":$beat}}" \
		>/dev/null
	wait_for 120 beats # an attack may use the time that programs get
}

# How often a pipeline was restarted, or a stage ended early.
ends() {
	cat "$T"/operator*.log | grep -cE 'again in|killed by|\bended|\bexit(ed)? '
}

unharmed() {
	followed || return
	[ "$(ends)" = 0 ] || {
		note "stages ended:"
		cat "$T"/operator*.log | tail -n 20 | quote
		return 1
	}
	victims >"$T/victims.now"
	cmp "$T/victims.now" "$T/victims"
}

# ---- one attack ----

attacks=0
tries() {
	trying=$1
	attacks=$((attacks + 1))
	shift
	"$@"
}

# gets WHAT PREDICATE...: its result, within 20 s
gets() {
	local what=$1 got=$1

	shift
	wait_for "${GETS_SECONDS:-20}" "$@" || got="NOT: $what"
	[ "$got" != "$what" ] || unharmed || got="HARM to others; $what"
	[ "$got" = "$what" ]
	tap $? "$trying: $what"
	printf '| %d | %s | %s |\n' "$attacks" "$trying" "$got" >>"$T/table"
}

section() {
	printf '| | **%s** | |\n' "$1" >>"$T/table"
}

attack_begin() {
	local name

	cluster_start
	for name in sys victim tenant ops; do
		kubectl create namespace "$name" >/dev/null || exit 1
	done
	kubectl create secret generic credentials -n sys \
		--from-literal=password=aHVudGVyMg >/dev/null
	kubectl create configmap precious -n sys --from-literal=k=v >/dev/null
	kubectl apply -f t/attack/operator/crd.yaml \
		-f t/attack/operator/rbac.yaml >/dev/null || exit 1
	wait_for 20 kubectl wait --for=condition=Established \
		crd/targets.attack.example.com || exit 1
	wait_for 20 kubectl get targets -A || exit 1
	kubectl create clusterrolebinding target-operator --user=user1 \
		--clusterrole=target-operator >/dev/null
	kubectl create rolebinding target-operator -n sys --user=user1 \
		--role=target-operator >/dev/null
	kubectl create rolebinding tenant -n tenant --user=mallory \
		--role=tenant >/dev/null
	may victim get,list,create,patch,delete targets.attack.example.com victim
	start env -u KUBECONFIG POD_NAMESPACE=sys kpipe -f t/attack/operator/watches.yaml \
		--kubeconfig "$(config user1)" -A 2>>"$T/operator.log"
	# shellcheck disable=SC2034
	operator=$!
	target victim victim v '{"x":"mine","beat":0}' >/dev/null
	wait_for 30 beats || {
		quote <"$T/operator.log"
		exit 1
	}
	victims >"$T/victims"
}

attack_end() {
	{
		echo '| | tried | got |'
		echo '|---|---|---|'
		cat "$T/table"
	} | quote
	[ -z "${ATTACK_TABLE:-}" ] || cp "$T/table" "$ATTACK_TABLE"
}
