import { workers } from '../../jobs/index.ts'
import type { HeightSet } from '../../src/platform/ranges.ts'
import { copyTestDatabase, createTestDatabase } from './database.ts'
import type { TestDatabase } from './database.ts'
import { derivedDigest, runFarm, untilDerived } from './farm.ts'
import { runIngest, untilStored } from './ingest.ts'
import { startRecordedNode } from './replay.ts'

const allNames = workers.map(({ name }) => name)

/**
 * The recording `base`, repeated as needed and stored once, for tests that need many databases with
 * the same raw blocks, and the expected derived tables.
 */
export class StoredChain {
  readonly heights: HeightSet
  /** The active workers. */
  readonly names: readonly string[]
  /** Variables that disable the other workers. */
  readonly variables: Record<string, string>
  readonly #tables: readonly string[]
  readonly #library: TestDatabase
  readonly #expected: Record<string, string>

  private constructor(library: TestDatabase, last: number, names: readonly string[], expected: Record<string, string>) {
    this.#library = library
    this.#expected = expected
    this.heights = [{ from: 0, to: last + 1 }]
    this.names = names
    this.variables = onlyVariables(names)
    this.#tables = tablesOf(names)
  }

  /**
   * Stores the heights 0 to `last`. @param names the active workers with their dependencies;
   * default: all
   */
  static async store(last: number, names: readonly string[] = allNames): Promise<StoredChain> {
    const library = await createTestDatabase()
    await using node = await startRecordedNode('base', { loop: true, head: last, cachedBlocks: last + 1 })
    const running = await runIngest(library, {
      CHAIN_ACCESS_NODE: node.endpoint,
      ENABLE_HISTORY_INGESTER: 'false',
      START_BLOCK: '0',
    })
    await untilStored(library, 0, last, running)
    await running.stop()
    await library.pool.end()
    const undisturbed = await copyTestDatabase(library)
    const farm = await runFarm(undisturbed, onlyVariables(names))
    await untilDerived(undisturbed, names, [{ from: 0, to: last + 1 }], farm)
    await farm.stop()
    const expected = await derivedDigest(undisturbed.pool, tablesOf(names))
    await undisturbed.drop()
    return new StoredChain(library, last, names, expected)
  }

  /** A database with raw blocks only. */
  newDatabase(): Promise<TestDatabase> {
    return copyTestDatabase(this.#library)
  }

  /** Resolves when all workers have done all heights. */
  untilDerived(database: TestDatabase): Promise<void> {
    return untilDerived(database, this.names, this.heights)
  }

  /** Names of derived tables that differ from the expected ones. */
  async differences(database: TestDatabase): Promise<string[]> {
    const digest = await derivedDigest(database.pool, this.#tables)
    return this.#tables.filter((table) => digest[table] !== this.#expected[table])
  }

  /** A line for each derived table that changes on every row write, even with equal content. */
  async writes(database: TestDatabase): Promise<string[]> {
    const lines: string[] = []
    for (const table of this.#tables) {
      const { rows } = await database.pool.query<{ line: string }>(
        `select md5(string_agg(r.xmin::text, ',' order by r::text)) as line from ${table} r`,
      )
      lines.push(`${table} ${rows[0]?.line}`)
    }
    return lines
  }

  async drop(): Promise<void> {
    await this.#library.drop()
  }
}

function onlyVariables(names: readonly string[]): Record<string, string> {
  const others = allNames.filter((name) => !names.includes(name))
  return Object.fromEntries(others.map((name) => [`ENABLE_${name.toUpperCase()}`, 'false']))
}

function tablesOf(names: readonly string[]): string[] {
  const chosen = workers.filter(({ name }) => names.includes(name))
  return chosen.flatMap((worker) => [...worker.tables, ...worker.folds].map(({ name }) => name))
}
