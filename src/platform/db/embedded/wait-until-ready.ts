import { Client } from 'pg'
import { RetryableError } from '../../errors.ts'
import { pause } from '../../retry.ts'
import { withDatabase } from '../socket-url.ts'

const askEveryMs = 15
const tellEveryMs = 10_000

/** SQLSTATE: the server is there and not yet open for queries. */
const startingUp = '57P03'

/** Resolves when the server answers queries and has the URL's database; rejects when it ends before that. */
export async function waitUntilReady(
  url: string,
  exited: Promise<{ readonly code: number; readonly lastLines: string }>,
  log: (line: string) => void,
): Promise<void> {
  const ended = exited.then(({ code, lastLines }) => {
    throw new RetryableError('embedded-postgres-ended', `PostgreSQL ended at start with code ${code}: ${lastLines}`)
  })
  // Recovery after a crash may take minutes, and nothing is gained by giving up on it: only its end ends the waiting.
  let toldAt = Date.now()
  for (;;) {
    if (await Promise.race([tryOnce(url), ended])) return
    if (Date.now() - toldAt >= tellEveryMs) {
      log('PostgreSQL is still recovering')
      toldAt = Date.now()
    }
    await pause(askEveryMs)
  }
}

async function tryOnce(url: string): Promise<boolean> {
  const client = new Client({ connectionString: withDatabase(url, 'postgres') })
  // Reported by the awaited call already; without a listener it would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await createMissingDatabase(client, new URL(url).pathname.slice(1))
    return true
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === startingUp) return false
    throw error
  } finally {
    await client.end()
  }
}

async function createMissingDatabase(client: Client, name: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
  if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`)
}
