# Sourced by the scripts beside it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
deps=$root/.deps

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

need() { # COMMAND HINT
  command -v "$1" >/dev/null || die "'$1' is missing: $2"
}

# What a folder was made from: a checksum of these files and words.
recipe() { # FILE-OR-WORD...
  local one
  for one in "$@"; do
    if [[ -f $one ]]; then cat "$one"; else printf '%s\n' "$one"; fi
  done | cksum
}

made() { # FOLDER RECIPE
  [[ -f $1/.recipe && $(<"$1/.recipe") == "$2" ]]
}

# A folder appears under its name only when it is whole: it is built by COMMAND in FOLDER.part.
build() { # FOLDER RECIPE COMMAND...
  local folder=$1 recipe=$2
  shift 2
  rm -rf "$folder.part" "$folder.old"
  mkdir -p "$folder.part"
  "$@" "$folder.part" || exit 1
  printf '%s\n' "$recipe" >"$folder.part/.recipe"
  [[ ! -e $folder ]] || mv "$folder" "$folder.old"
  mv "$folder.part" "$folder"
  rm -rf "$folder.old"
}
