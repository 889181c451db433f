import type pg from 'pg'
import { pino } from 'pino'
import type { HeightRange } from '../../src/platform/ranges.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { ingesterNames, readRawCoverage } from '../../src/ingest/checkpoints.ts'
import type { IngesterName } from '../../src/ingest/checkpoints.ts'
import { commitCheckpoint } from '../../src/ingest/batch-writer.ts'
import { rollBackRaw } from '../../src/ingest/reorg.ts'
import { loadRollBack } from '../../src/services.ts'
import { chains, lastCommon, rawTables } from './recorded-chains.ts'
import type { ChainName } from './recorded-chains.ts'

/**
 * Stores a recorded chain in parts, forward and backward from a start height, with the ingesters'
 * statements for checkpoints and rollbacks. Only the rows are copied from the library of recorded
 * chains.
 */
export class SimulatedIngest {
  readonly #pool: pg.Pool
  readonly #start: number
  #chain: ChainName

  /** @param start the height at which forward ingest begins */
  constructor(pool: pg.Pool, chain: ChainName, start: number) {
    this.#pool = pool
    this.#chain = chain
    this.#start = start
  }

  get chain(): ChainName {
    return this.#chain
  }

  /** @returns the stored heights; undefined at the head of the chain */
  async forward(blocks: number): Promise<HeightRange | undefined> {
    const { all, forward } = await readRawCoverage(this.#pool)
    const from = all.at(-1)?.to ?? this.#start
    const to = Math.min(from + blocks, chains[this.#chain].last + 1)
    return this.#store(ingesterNames.forward, forward.generation, { from, to })
  }

  /** @returns the stored heights; undefined at the start of the chain */
  async backward(blocks: number): Promise<HeightRange | undefined> {
    const { all, backward } = await readRawCoverage(this.#pool)
    const to = all[0]?.from ?? this.#start
    return this.#store(ingesterNames.backward, backward.generation, { from: Math.max(0, to - blocks), to })
  }

  /**
   * Leaves the stored chain after `ancestor` (or the last common block, if lower) and follows
   * another chain. @returns the last remaining height
   */
  async fork(chain: ChainName, ancestor: number): Promise<number> {
    const { all } = await readRawCoverage(this.#pool)
    const lowest = all[0]?.from ?? this.#start
    const last = Math.max(lowest - 1, Math.min(ancestor, lastCommon(this.#chain, chain)))
    this.#chain = chain
    const rollBack = await loadRollBack(pino({ level: 'silent' }))
    await withTransaction(this.#pool, async (client) => {
      await rollBack(client, last)
      await rollBackRaw(client, last)
    })
    return last
  }

  async #store(name: IngesterName, generation: number, range: HeightRange): Promise<HeightRange | undefined> {
    if (range.from >= range.to) return undefined
    await withTransaction(this.#pool, async (client) => {
      for (const [table, height] of Object.entries(rawTables)) {
        await client.query(
          `insert into raw.${table} select * from chain_${this.#chain}.${table} where ${height} >= $1 and ${height} < $2`,
          [range.from, range.to],
        )
      }
      const { rows } = await client.query<{ blocks: number; txs: number; events: number }>(
        `select count(*)::int as blocks, sum(tx_count)::int as txs, sum(event_count)::int as events from raw.blocks where height >= $1 and height < $2`,
        [range.from, range.to],
      )
      const [counts] = rows
      const batch = {
        range,
        blockCount: counts?.blocks ?? 0,
        txCount: counts?.txs ?? 0,
        eventCount: counts?.events ?? 0,
      }
      if (!(await commitCheckpoint(client, { name, generation }, batch)))
        throw new Error(`${name} could not store ${range.from}-${range.to}`)
    })
    return range
  }
}
