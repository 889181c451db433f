import type pg from 'pg'
import { ensureRawPartitions } from '../../src/ingest/raw-tables.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { ownWorker, registerOwnWorker } from '../support/own-worker.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import type { RecordingName } from '../support/replay.ts'
import { installLeaseAudit } from './lease-audit.ts'

export type ChainName = 'base' | 'a' | 'b' | 'c'

/** A recorded chain that the simulation stores in parts. */
export interface RecordedChain {
  readonly name: ChainName
  readonly recording: RecordingName
  readonly version: string
  /** The highest block. */
  readonly last: number
}

/** Runs in some histories. All recordings have its events. */
export const simulatedOwnWorker = ownWorker('own_moves', 'A.ee82856bf20e2aa6.FungibleToken')

export const chains: Readonly<Record<ChainName, RecordedChain>> = {
  base: { name: 'base', recording: 'base', version: '', last: 75 },
  a: { name: 'a', recording: 'fork', version: 'a', last: 20 },
  b: { name: 'b', recording: 'fork', version: 'b', last: 27 },
  c: { name: 'c', recording: 'fork', version: 'c', last: 40 },
}

/** The highest common block of both versions of the recording `fork`. */
export function lastCommon(one: ChainName, other: ChainName): number {
  if (one === other) return chains[one].last
  return one === 'a' || other === 'a' ? 12 : 24
}

/**
 * Tables of raw rows by height; scripts and event shapes are identified by content and shared by
 * all chains.
 */
export const rawTables: Readonly<Record<string, string>> = {
  blocks: 'height',
  transactions: 'block_height',
  event_chunks: 'block_height',
  tx_lookup: 'block_height',
  block_lookup: 'height',
}

/**
 * An empty database with every recorded chain in a schema of its own (`chain_a` …), as stored by
 * the ingester. Parts are copied from there with one statement per table. The simulation databases
 * are copies of it.
 */
export async function createChainLibrary(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  const { pool } = database
  for (const chain of Object.values(chains)) {
    await using node = await startRecordedNode(chain.recording, { version: chain.version, head: chain.last })
    const running = await runIngest(database, {
      CHAIN_ACCESS_NODE: node.endpoint,
      ENABLE_HISTORY_INGESTER: 'false',
      START_BLOCK: '0',
    })
    await untilStored(database, 0, chain.last, running)
    await running.stop()
    await pool.query(`create schema chain_${chain.name}`)
    for (const [table, height] of Object.entries(rawTables)) {
      await pool.query(
        `create table chain_${chain.name}.${table} as select * from raw.${table}; create index on chain_${chain.name}.${table} (${height})`,
      )
    }
    await clearRaw(pool)
  }
  await ensureRawPartitions(pool, { from: 0, to: 1 })
  await registerOwnWorker(pool, simulatedOwnWorker)
  await installLeaseAudit(pool)
  await pool.end()
  return database
}

/** Empties the raw tables and all checkpoints. Scripts and event shapes remain. */
export async function clearRaw(pool: pg.Pool): Promise<void> {
  const tables = [...Object.keys(rawTables), 'unavailable', 'indexing_errors'].map((table) => `raw.${table}`)
  await pool.query(`truncate ${tables.join(', ')}, app.indexing_checkpoints`)
}
