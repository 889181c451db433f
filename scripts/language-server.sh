#!/bin/sh
# Builds the Cadence 1.0 language server from its Go module (Go 1.21 or newer):
#
#     scripts/language-server.sh ~/.local/share/cadence
#     CHAIN_CLI_COMMAND=~/.local/share/cadence/languageserver npm start
#
# It ignores the arguments `cadence language-server` of the CLI. Tests use it with FLOWFARM_CLI=<folder>/languageserver.
set -eu

folder=${1:?usage: scripts/language-server.sh <folder>}
version=${2:-v1.9.0}
module=github.com/onflow/cadence-tools/languageserver

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

cd "$work"
# A dependency does not compile with Go 1.26; go downloads this version.
GOTOOLCHAIN=${GOTOOLCHAIN:-go1.25.5}
export GOTOOLCHAIN
{ go mod init build && go get "$module/cmd/languageserver@$version"; } >log 2>&1 || { cat log >&2; exit 1; }
go build -o "$folder/languageserver" "$module/cmd/languageserver"
echo "built $folder/languageserver"
