/**
 * The machine of the database: `node postgres-machine.ts <data folder> <address>` runs an embedded PostgreSQL that
 * listens on that address for everybody, prints one JSON line with its `url` by the unix socket when it answers, and
 * stops when its standard input ends.
 */
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'

const [dataFolder = '', address = ''] = process.argv.slice(2)
const rules = join(dataFolder, 'pg_hba.conf')
await writeFile(rules, 'local all all trust\nhost all all samenet trust\n')
// The user that the server runs as may be another one.
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
