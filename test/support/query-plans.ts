import type { Pool } from 'pg'
import type { CommonQueryMethods, DatabasePool, QuerySqlToken } from 'slonik'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import type { TestDatabase } from './database.ts'
import { explain, explainGeneric, flattenPlan } from './explain.ts'
import type { PlanNode } from './explain.ts'

/** What the statements of one query really did. */
export interface QueryPlan {
  /** The nodes that ran, of all statements. */
  readonly nodes: readonly PlanNode[]
  /** Rows that were read from tables and indexes, also those that a filter then left out. */
  readonly rowsTouched: number
  /** Partitions that were planned for: those that the range of heights did not leave out beforehand. */
  readonly partitions: readonly string[]
  /** Rows that went through each sort: a list that its index gives in order sorts nothing but what shares a block. */
  readonly rowsSorted: readonly number[]
  /** Statements that the query ran. */
  readonly statements: readonly string[]
}

export interface QueryPlans {
  /** Runs a query and then each of its statements once more under EXPLAIN ANALYZE, with the same values. */
  readonly of: (query: (database: DatabasePool) => Promise<unknown>) => Promise<QueryPlan>
  readonly end: () => Promise<void>
}

/** The methods of a pool that read rows; the others are let through. */
const readMethods: ReadonlySet<string | symbol> = new Set<keyof CommonQueryMethods>([
  'any',
  'anyFirst',
  'exists',
  'many',
  'manyFirst',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
])

/**
 * Tells what queries cost in rows, which unlike time is the same on every machine: the proof that a list is served by
 * an index is that its pages touch few rows at every depth of a table of many partitions.
 *
 * The tables need `analyze` after they were filled, else the plans are those for unknown tables.
 */
export async function queryPlans(database: TestDatabase): Promise<QueryPlans> {
  const reads = await createReadPool({ url: database.url })
  return {
    of: async (query) => {
      const { recording, statements } = recordStatements(reads)
      await query(recording)
      return explainAll(database.pool, statements)
    },
    end: () => reads.end(),
  }
}

/** Runs statements once more under EXPLAIN ANALYZE, with the same values. */
export async function explainAll(pool: Pool, statements: readonly QuerySqlToken[]): Promise<QueryPlan> {
  const plans: PlanNode[] = []
  for (const { name, sql, values } of statements) {
    // Those with a name are planned once for all values.
    const run = name === undefined ? explain : explainGeneric
    plans.push(await run(pool, { text: sql.replaceAll('$slonik_', '$'), values }, 'analyze, timing off'))
  }
  return summarize(
    plans,
    statements.map(({ sql }) => sql),
  )
}

/** A pool that writes down what it is asked, and asks it. */
export function recordStatements(reads: DatabasePool): { recording: DatabasePool; statements: QuerySqlToken[] } {
  const statements: QuerySqlToken[] = []
  const recording = new Proxy(reads, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function' || !readMethods.has(name)) return method
      return async (statement: QuerySqlToken) => {
        statements.push(statement)
        return (method as CommonQueryMethods['any'])(statement)
      }
    },
  })
  return { recording, statements }
}

function summarize(plans: readonly PlanNode[], statements: readonly string[]): QueryPlan {
  const all = plans.flatMap(flattenPlan)
  const nodes = all.filter((node) => node['Actual Loops'] > 0)
  const partitions = new Set(
    all.flatMap((node) => {
      const relation = node['Relation Name'] ?? ''
      return /_p\d+$/.test(relation) ? [relation] : []
    }),
  )
  return {
    nodes,
    rowsTouched: nodes.reduce((sum, node) => sum + rowsOf(node), 0),
    partitions: [...partitions],
    rowsSorted: nodes.filter(isSort).map((node) => node['Actual Rows'] * node['Actual Loops']),
    statements,
  }
}

/** Index scans below a bitmap name an index and no table; the scan of the table above counts the same rows. */
function rowsOf(node: PlanNode): number {
  if (node['Relation Name'] === undefined) return 0
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return (node['Actual Rows'] + removed) * node['Actual Loops']
}

function isSort(node: PlanNode): boolean {
  return ['Sort', 'Incremental Sort'].includes(node['Node Type'])
}
