#!/bin/sh
# Makes src/access/gen anew from src/access/proto. Needed only after a change of a .proto file: the result is committed.
# buf is large and not a dependency of the project; this script needs version 1.74.0 on the PATH, for instance from
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
