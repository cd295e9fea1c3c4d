#!/bin/sh
# Checks the tool-info module with BenchExec's own test, and that BenchExec understands the benchmark definition.
#
#   contrib/benchexec/test.sh [DIRECTORY_OF_CONCORD]
#
# Without a directory a stand-in takes Concord's place. BenchExec comes from PyPI into an environment of its own
# (BENCHEXEC_VENV, kept for the next time).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=${BENCHEXEC_VENV:-${TMPDIR:-/tmp}/concord-benchexec-venv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! "$venv/bin/python" -c 'import benchexec' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet benchexec
fi

tool=${1:-}
if [ -z "$tool" ]; then
  tool=bin # relative to where the tests run: BenchExec warns about what is absolute
  mkdir "$work/bin"
  printf '#!/bin/sh\necho "concord 0.0.0 (stand-in)"\n' > "$work/bin/concord"
  chmod +x "$work/bin/concord"
fi

mkdir "$work/task"
echo 'CHECK( init(main()), LTL(G ! call(reach_error())) )' > "$work/task/unreach-call.prp"
echo 'int main(void) { return 0; }' > "$work/task/program.c"
cat > "$work/task/program.yml" <<'YML'
format_version: '2.0'
input_files: 'program.c'
properties:
  - property_file: unreach-call.prp
    expected_verdict: true
options: {language: C, data_model: LP64}
YML

run() {
  (cd "$work" && PYTHONPATH=$here "$venv/bin/python" -m benchexec.test_tool_info concord_tool.concord \
    --no-container --tool-directory "$tool" "$@") 2>&1
}

failed=0
expect() { # what it is about, the text that has to occur, the text
  case $3 in
    *"$2"*) echo "ok: $1" ;;
    *) echo "FAILED: $1: “$2” is not in:"; echo "$3"; failed=1 ;;
  esac
}

text=$(run --task-definition "$work/task/program.yml")
expect name 'Name of tool: “Concord”' "$text"
expect executable '/concord”' "$text"
case $text in *'Version: “”'*) expect version 'a version' "$text" ;; esac
[ -n "${1:-}" ] || case $text in *WARNING*) expect warnings 'no warnings' "$text" ;; esac
expect 'command line' "'check'" "$text"
expect 'data model' "'--data-model', 'lp64'" "$text"
expect 'property file' "'--spec', " "$text"

verdict() { # the output, what BenchExec has to make of it
  printf 'Some text\n%s\n' "$1" > "$work/output.txt"
  expect "$1" "output.txt”: “$2”" "$(run --tool-output "$work/output.txt" | tr -d '\n' | sed 's/:[[:space:]]*“/: “/g')"
}
verdict 'Verdict: TRUE' 'true'
verdict 'Verdict: FALSE (unreach-call)' 'false(unreach-call)'
verdict 'Verdict: FALSE (no-overflow)' 'false(no-overflow)'
verdict 'Verdict: UNKNOWN (recursion in f, program.c:3)' 'unknown'
verdict 'thread main panicked' 'ERROR'
verdict 'memory allocation of 8 bytes failed' 'OUT OF MEMORY'

# The definition, read as BenchExec reads it, with the tasks made above in place of the project's.
cp "$here/concord.xml" "$work/concord.xml"
sed -i -e "s|<include>.*</include>|<include>task/*.yml</include>|" \
  -e "s|<propertyfile>.*</propertyfile>|<propertyfile>task/unreach-call.prp</propertyfile>|" "$work/concord.xml"
text=$(cd "$work" && PYTHONPATH=$here "$venv/bin/python" - "$tool" <<'PY' 2>&1
import datetime
import sys
from benchexec.benchexec import BenchExec
from benchexec.model import Benchmark

bench = BenchExec()
config = bench.create_argument_parser().parse_args(
    ["--no-container", "--tool-directory", sys.argv[1], "concord.xml"]
)
config.name = None
benchmark = Benchmark("concord.xml", config, datetime.datetime.now())
benchmark.executable = "concord"
print("tool", benchmark.tool_name, "limits", benchmark.rlimits)
for run_set in benchmark.run_sets:
    for run in run_set.runs:
        print(run_set.real_name, run.cmdline())
PY
) || failed=1
expect 'definition: tool' 'tool Concord' "$text"
expect 'definition: default' "default ['" "$text"
expect 'definition: option' "'--analysis', 'bmc'" "$text"

[ "$failed" = 0 ] && echo 'BenchExec: all is well'
exit "$failed"
