/**
 * Owns an embedded server, for tests that kill it. `node embedded-owner.ts <data folder>` prints
 * one JSON line when the server is ready or has failed to start, and stops it when standard input
 * ends.
 */
import { once } from 'node:events'
import { FlowfarmError } from '../../src/platform/errors.ts'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'

const [, , dataFolder = ''] = process.argv
const lines: string[] = []
try {
  const server = await startEmbeddedPostgres({
    dataFolder,
    wait: false,
    log: (line) => lines.push(line),
    settings: { fsync: 'off', shared_buffers: '32MB' },
  })
  process.stdout.write(`${JSON.stringify({ url: server.url, lines })}\n`)
  process.stdin.resume()
  await once(process.stdin, 'end')
  await server.stop()
} catch (error) {
  const code = error instanceof FlowfarmError ? error.code : 'unexpected'
  process.stdout.write(`${JSON.stringify({ code, message: String(error) })}\n`)
}
