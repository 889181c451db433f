import { workers } from '../../jobs/index.ts'
import { createTestDatabase } from './database.ts'
import type { TestDatabase } from './database.ts'
import { atEndOfTests } from './cleanups.ts'
import { runFarm, untilDerived } from './farm.ts'
import { runIngest, untilStored } from './ingest.ts'
import { runApi } from './running-api.ts'
import type { RunningApi } from './running-api.ts'
import { startRecordedNode } from './replay.ts'

/** Highest block of the recording `base`. */
const last = 280

/**
 * The recording `base`, stored and derived by all workers, and the API on it. Read-only, because
 * all tests share it.
 */
export interface ExploredChain {
  readonly database: TestDatabase
  readonly api: RunningApi
}

let explored: Promise<ExploredChain> | undefined

/** Created on first use, in about 6 s. Closed after all tests. */
export function exploredChain(): Promise<ExploredChain> {
  explored ??= explore()
  return explored
}

async function explore(): Promise<ExploredChain> {
  const database = await deriveRecording()
  await forbidWrites(database)
  const api = await runApi(database.url, { server: { network: () => 'emulator' } })
  atEndOfTests(async () => {
    await api.stop()
    await database.drop()
  })
  return { database, api }
}

/** For new connections: an API read that writes fails. */
async function forbidWrites({ pool }: TestDatabase): Promise<void> {
  const name = `"${(await pool.query<{ name: string }>('select current_database() as name')).rows[0]?.name}"`
  await pool.query(`alter database ${name} set default_transaction_read_only = on`)
}

/** A separate database with the recording `base`, stored and derived by all workers. */
export async function deriveRecording(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  await using node = await startRecordedNode('base', { cachedBlocks: last + 1 })
  const ingest = await runIngest(database, {
    CHAIN_ACCESS_NODE: node.endpoint,
    ENABLE_HISTORY_INGESTER: 'false',
    START_BLOCK: '0',
  })
  await untilStored(database, 0, last, ingest)
  await ingest.stop()
  const farm = await runFarm(database, {})
  await untilDerived(
    database,
    workers.map(({ name }) => name),
    [{ from: 0, to: last + 1 }],
    farm,
  )
  await farm.stop()
  await database.pool.query('analyze')
  return database
}
