#!/usr/bin/env bash
# setup.sh [python] [pi] [nvim] [lint]: what is named is brought up to date; all without a name.
# Everything lands in .venv and .deps. Nothing to do: a few checksums. Interrupted: run it again.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/common.sh"

venv=$root/.venv
parts=" ${*:-python pi nvim lint} "
wanted() { [[ $parts == *" $1 "* ]]; }

mkdir -p "$deps/pi" "$deps/nvim"
if command -v flock >/dev/null; then
  exec 9>"$deps/lock"
  flock 9
fi

python_tools() {
  local recipe
  recipe=$(recipe "$root/pyproject.toml" "$here/constraints.txt" "$root/pivi/install.py" "$root")
  if ! made "$venv" "$recipe" || [[ -e $venv/unfinished ]] || ! [[ -x $venv/bin/python ]]; then
    local python=${PYTHON:-python3}
    need "$python" "install Python 3.10 or newer"
    say "Python packages into .venv"
    rm -f "$venv/.recipe"
    "$python" "$root/pivi/install.py" -c "$here/constraints.txt" -e '.[dev]' >/dev/null || exit 1
    printf '%s\n' "$recipe" >"$venv/.recipe"
  fi
}

npm_folder() { # SOURCE FOLDER
  local recipe
  recipe=$(recipe "$1/package.json" "$1/package-lock.json" "$1/.npmrc" "$here/npm_ci.sh")
  made "$2" "$recipe" || { say "npm packages of ${1#"$root"/}"; build "$2" "$recipe" "$here/npm_ci.sh" "$1"; }
}

debian_folder() { # SUITE PROGRAM FOLDER PACKAGE...
  local recipe
  recipe=$(recipe "$here/debian.sh" "$@")
  made "$3" "$recipe" && return
  say "Debian packages of $1: ${*:4}"
  build "$3" "$recipe" "$here/debian.sh" "$1" "$2" "${@:4}"
}

nvim_folder() { # SUITE VERSION
  debian_folder "$1" nvim "$deps/nvim/$2" neovim
  local found
  [[ -e $deps/nvim/$2/.version ]] && return
  found=$(NVIM_LOG_FILE=/dev/null "$deps/nvim/$2/usr/bin/nvim" --version 2>&1 | head -n 1)
  [[ $found == NVIM* ]] || die "the Neovim of Debian $1 does not run: $found"
  [[ $found == "NVIM v$2"* ]] || say "Debian $1 has moved on: $found in place of $2"
  printf '%s\n' "$found" >"$deps/nvim/$2/.version"
}

python_tools
if wanted pi; then
  npm_folder "$root/tests/pi/0.87.1" "$deps/pi/0.87.1"
  npm_folder "$root/tests/pi/1.6.0" "$deps/pi/1.6.0"
fi
if wanted nvim; then
  nvim_folder trixie 0.10.4
  nvim_folder sid 0.12
fi
if wanted lint; then
  npm_folder "$root/tests/tools" "$deps/tools"
  debian_folder trixie lua5.1 "$deps/luacheck" lua-check
fi
