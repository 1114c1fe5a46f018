#!/usr/bin/env bash
# lint.sh: every check, also after one has failed. lint.sh --fix: the formatters write.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root" || exit 1
failed=()
check() { # NAME COMMAND...
  "${@:2}" || failed+=("$1")
}

python=.venv/bin/python
stylua=$(echo .deps/tools/node_modules/@johnnymorganz/stylua-bin-*/stylua)
lua=()
while IFS= read -r file; do lua+=("$file"); done < <(find plugin lua tests -name '*.lua' -not -path '*/.*' 2>/dev/null)

if [[ ${1:-} == --fix ]]; then
  check 'ruff check' $python -m ruff check --quiet --fix .
  check 'ruff format' $python -m ruff format --quiet .
  ((${#lua[@]} == 0)) || check stylua "$stylua" "${lua[@]}"
else
  check 'ruff check' $python -m ruff check --quiet .
  check 'ruff format' $python -m ruff format --quiet --check .
  check mypy $python -m mypy
  ((${#lua[@]} == 0)) || check stylua "$stylua" --check "${lua[@]}"
  ((${#lua[@]} == 0)) || check luacheck tests/setup/luacheck.sh --quiet "${lua[@]}"
  check 'help tags' $python -m tests.support.helptags
fi

((${#failed[@]} == 0)) || { printf 'lint: failed: %s\n' "$(IFS=,; echo "${failed[*]}")" >&2; exit 1; }
