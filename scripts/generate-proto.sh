#!/bin/sh
# Generates src/access/gen from src/access/proto; the result is committed. Needs buf 1.74.0 on the PATH:
#   npm install --prefix "$(mktemp -d)" @bufbuild/buf@1.74.0
set -eu
cd "$(dirname "$0")/.."
rm -rf src/access/gen
buf generate src/access/proto --template '{
  "version": "v2",
  "plugins": [{
    "local": "node_modules/.bin/protoc-gen-es",
    "out": "src/access/gen",
    "opt": ["target=ts", "import_extension=ts", "erasable_syntax=true"]
  }]
}'
