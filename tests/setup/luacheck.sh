#!/usr/bin/env bash
# luacheck.sh ARGUMENTS…: Debian's luacheck, run by the Lua that was unpacked with it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usr=$deps/luacheck/usr
export LUA_PATH="$usr/share/lua/5.1/?.lua;$usr/share/lua/5.1/?/init.lua"
LUA_CPATH="$(echo "$usr"/lib/*/lua/5.1)/?.so" exec "$usr/bin/lua5.1" "$usr/bin/luacheck" "$@"
