import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import type { Network } from '../../chain/network.ts'
import { examplePairs } from '../examples/example-pairs.ts'
import type { DatabaseKnowledge } from '../query-engine.ts'
import type { QueryTarget } from '../query-service.ts'
import { evmTables } from '../sql/evm-tables.ts'
import { indexerTables } from '../sql/indexer-tables.ts'
import { buildPrompt } from './build-prompt.ts'
import { describeCatalog } from './describe-catalog.ts'
import { readCatalog } from './read-catalog.ts'

export interface KnowledgeOptions {
  readonly target: QueryTarget
  /** On the database, as a role that sees its catalogs, which any does. */
  readonly pool: pg.Pool
  /** Decides which accounts hold the core contracts that the examples name. */
  readonly network: Network
  /** MAX_RESULT_ROWS. */
  readonly mostRows: number
  /** QUERY_TIMEOUT_S. */
  readonly timeoutSeconds: number
}

const tables = { indexer: indexerTables, evm: evmTables } as const

/** Reads all that is told of a database: its tables as they are now, and the notes and examples that come with the program. */
export async function readKnowledge({
  target,
  pool,
  network,
  mostRows,
  timeoutSeconds,
}: KnowledgeOptions): Promise<DatabaseKnowledge> {
  const [catalog, notes] = await Promise.all([
    readCatalog(pool, tables[target]),
    readFile(new URL(`${target}-notes.md`, import.meta.url), 'utf8'),
  ])
  const schema = describeCatalog(catalog)
  const examples = examplePairs(target, network)
  return { schema, notes, examples, prompt: buildPrompt({ target, schema, notes, examples, mostRows, timeoutSeconds }) }
}
