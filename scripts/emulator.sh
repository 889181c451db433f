#!/bin/sh
# Builds the Flow emulator from its Go module (Go 1.21 or newer and a C compiler; some minutes):
#
#     scripts/emulator.sh ~/.local/share/flow
#     ~/.local/share/flow/emulator --block-time 1s --transaction-fees
#     CHAIN_ACCESS_NODE=127.0.0.1:3569 PORT=8081 npm start
#
# The emulator uses port 8080. Tests use it with FLOWFARM_EMULATOR=<folder>/emulator.
set -eu

folder=${1:?usage: scripts/emulator.sh <folder>}
version=${2:-v1.20.0}
module=github.com/onflow/flow-emulator

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

cd "$work"
# A dependency does not compile with Go 1.26; go downloads this version.
GOTOOLCHAIN=${GOTOOLCHAIN:-go1.25.5}
CGO_ENABLED=1
# Supports older processors.
CGO_CFLAGS=${CGO_CFLAGS:--O2 -D__BLST_PORTABLE__}
export GOTOOLCHAIN CGO_ENABLED CGO_CFLAGS
{ go mod init build && go get "$module/cmd/emulator@$version"; } >log 2>&1 || { cat log >&2; exit 1; }
go build -o "$folder/emulator" "$module/cmd/emulator"
echo "built $folder/emulator"
