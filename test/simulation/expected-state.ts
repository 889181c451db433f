import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import type { Worker } from '../../jobs/worker.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { registerOwnWorker } from '../support/own-worker.ts'
import { deriveInto, deriveOwnInto } from '../support/derived-tables.ts'
import { chains, simulatedOwnWorker } from './recorded-chains.ts'
import type { ChainName } from './recorded-chains.ts'

/** A recorded chain up to a height. */
export interface ChainPart {
  readonly chain: ChainName
  readonly last: number
}

/**
 * The derived tables of each recorded chain after one clean pass without a farm: all heights in one
 * range, worker after worker, from the recording. Created on first use.
 */
export class ExpectedStates {
  readonly #databases = new Map<string, Promise<TestDatabase>>()

  /**
   * Differences between `pool` and the clean pass over `part`, one line per row; empty if equal.
   */
  async differences(pool: pg.Pool, part: ChainPart, compared: readonly Worker[]): Promise<string[]> {
    const clean = (await this.#database(part)).pool
    const lines: string[] = []
    for (const table of tablesOf(compared)) {
      const query = `select count(*) || ' ' || coalesce(md5(string_agg(r::text, ',' order by r::text)), '') as digest from ${table} r`
      const [ours, theirs] = await Promise.all(
        [pool, clean].map(async (db) => (await db.query<{ digest: string }>(query)).rows[0]?.digest),
      )
      if (ours !== theirs) lines.push(...(await differentRows(pool, clean, table)))
    }
    return lines
  }

  async drop(): Promise<void> {
    for (const database of this.#databases.values()) await (await database).drop()
  }

  #database(part: ChainPart): Promise<TestDatabase> {
    const key = `${part.chain} to ${part.last}`
    const known = this.#databases.get(key)
    if (known !== undefined) return known
    const making = derive(part)
    this.#databases.set(key, making)
    return making
  }
}

/** The tables owned by the workers. */
export function tablesOf(some: readonly Worker[]): string[] {
  return some.flatMap(({ tables, folds }) => [...tables, ...folds].map(({ name }) => name))
}

async function derive({ chain, last }: ChainPart): Promise<TestDatabase> {
  const { recording, version } = chains[chain]
  const database = await createTestDatabase()
  for (const worker of workers) {
    const blocks = await decodedRecording(recording, { version })
    await deriveInto(database.pool, worker, blocks, { from: 0, to: last + 1 })
  }
  await registerOwnWorker(database.pool, simulatedOwnWorker)
  const blocks = (await decodedRecording(recording, { version })).filter(({ height }) => height <= last)
  await deriveOwnInto(database.pool, simulatedOwnWorker, blocks, { from: 0, to: last + 1 })
  return database
}

async function differentRows(ours: pg.Pool, clean: pg.Pool, table: string): Promise<string[]> {
  const [one, other] = await Promise.all(
    [ours, clean].map(async (db) => {
      const { rows } = await db.query<{ line: string }>(`select r::text as line from ${table} r order by 1`)
      return rows.map(({ line }) => line)
    }),
  )
  const here = one ?? []
  const there = other ?? []
  return [
    ...here.filter((line, i) => here.indexOf(line) !== i).map((line) => `${table}: twice ${line}`),
    ...here.filter((line) => !there.includes(line)).map((line) => `${table}: too much ${line}`),
    ...there.filter((line) => !here.includes(line)).map((line) => `${table}: missing ${line}`),
  ]
}
