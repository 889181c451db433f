/**
 * The database machine: `node postgres-machine.ts <data folder> <address>` runs an embedded
 * PostgreSQL that accepts all clients at that address, prints one JSON line with its unix-socket
 * `url` when ready, and stops when its standard input ends.
 */
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'

const [dataFolder = '', address = ''] = process.argv.slice(2)
const rules = join(dataFolder, 'pg_hba.conf')
await writeFile(rules, 'local all all trust\nhost all all samenet trust\n')
// The server may run as another user.
await chmod(rules, 0o644)
const server = await startEmbeddedPostgres({
  dataFolder,
  wait: false,
  log: () => undefined,
  settings: { listen_addresses: address, hba_file: rules, fsync: 'off', shared_buffers: '64MB' },
})
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
process.stdin.resume()
await once(process.stdin, 'end')
await server.stop()
