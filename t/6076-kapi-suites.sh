#!/bin/bash
# The examples of doc/kapi.md for other test suites: the fixture of pytest, and
# the composite action for CI, as its runner would run it.
# check-all: pytest needs pip
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/readme.sh
. "${0%/*}/readme.sh"

is "$(readme_unnamed doc/kapi.md)" "" "the page names the files of its examples"
own_kubectl
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache}

# ---- CI ----

readme_blocks "CI: " doc/kapi.md
readme_files
# The steps of a composite action that are scripts for bash
sed -n '/^    run: |$/,$ s/^      //p' "$T/action.yml" >"$T/step"
ok "the action has a script" test -s "$T/step"
ok "... and is YAML" sh -c "t/yaml-lines <\"$T/action.yml\""
mkdir "$T/runner" "$T/tools"
printf '#!/bin/sh\necho $$ >>%s\nexec %s "$@"\n' "$T/pids" "$BIN/kapi" \
	>"$T/tools/kapi"
chmod +x "$T/tools/kapi"
RUNNER_TEMP=$T/runner GITHUB_ENV=$T/github.env PATH=$T/tools:$PATH \
	runs 0 "the action's script" timeout 60 bash -e "$T/step"
# shellcheck disable=SC2046
is "$(env $(<"$T/github.env") bash -c \
	'kubectl get namespace default -o name')" \
	namespace/default "... a later step finds the API server"
# shellcheck disable=SC2046
ok "... and the folder of envtest" env $(<"$T/github.env") \
	bash -c 'test -x "$KUBEBUILDER_ASSETS/kube-apiserver"'
while read -r pid; do
	kill "$pid"
done <"$T/pids" 2>/dev/null

# ---- pytest ----

readme_blocks "pytest: " doc/kapi.md
readme_files
code=0
python=$(t/clients/python/build 2>"$T/build.err") || code=$?
[ "$code" -eq 0 ] || skip_all "$(tail -n 1 "$T/build.err")"
is "$(grep "^home = $PWD/" "${python%/bin/python}/pyvenv.cfg")" "" \
	"Python's packages do not need this tree"
cat >"$T/test_it.py" <<'END'
from kubernetes import client, config

def test_one(kubeconfig):
    config.load_kube_config(kubeconfig)
    client.CoreV1Api().create_namespace({"metadata": {"name": "one"}})

def test_two(kubeconfig):
    names = [n.metadata.name for n in client.CoreV1Api().list_namespace().items]
    assert "one" in names, "the same server"
END
runs 0 "pytest with the fixture" "$python" -m pytest -q -p no:cacheprovider \
	--rootdir "$T" "$T/test_it.py"
ok "... both tests pass" grep -q '^2 passed' "$T/out"
# The fixture says why there is no server.
printf '#!/bin/sh\nexit 1\n' >"$T/tools/kapi"
PATH=$T/tools:$PATH runs 1 "a kapi that fails" timeout 120 "$python" -m pytest -q \
	-p no:cacheprovider --rootdir "$T" "$T/test_it.py"
ok "... is an error that says so" grep -q 'kapi has ended' "$T/out"
done_testing
