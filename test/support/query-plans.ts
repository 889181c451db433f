import type { Pool } from 'pg'
import type { CommonQueryMethods, DatabasePool, QuerySqlToken } from 'slonik'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import type { TestDatabase } from './database.ts'
import { explain, explainGeneric, flattenPlan } from './explain.ts'
import type { PlanNode } from './explain.ts'

/** The measured work of one query's statements. */
export interface QueryPlan {
  /** The executed plan nodes of all statements. */
  readonly nodes: readonly PlanNode[]
  /** Rows read from tables and indexes, including rows that a filter removed. */
  readonly rowsTouched: number
  /** Planned partitions: those that the height range did not prune. */
  readonly partitions: readonly string[]
  /** Rows through each sort. A list in index order sorts only rows of the same block. */
  readonly rowsSorted: readonly number[]
  /** Statements of the query. */
  readonly statements: readonly string[]
}

export interface QueryPlans {
  /**
   * Runs a query and then each of its statements again under EXPLAIN ANALYZE, with the same values.
   */
  readonly of: (query: (database: DatabasePool) => Promise<unknown>) => Promise<QueryPlan>
  readonly end: () => Promise<void>
}

/** The pool's read methods. Others pass through. */
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
 * Measures queries in rows, which unlike time is the same on every machine. Pages of a list that an
 * index serves touch few rows at every depth of a table with many partitions.
 *
 * Run `analyze` after filling the tables, or the planner lacks statistics.
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

/** Runs statements again under EXPLAIN ANALYZE, with the same values. */
export async function explainAll(pool: Pool, statements: readonly QuerySqlToken[]): Promise<QueryPlan> {
  const plans: PlanNode[] = []
  for (const { name, sql, values } of statements) {
    // Named statements have one plan for all values.
    const run = name === undefined ? explain : explainGeneric
    plans.push(await run(pool, { text: sql.replaceAll('$slonik_', '$'), values }, 'analyze, timing off'))
  }
  return summarize(
    plans,
    statements.map(({ sql }) => sql),
  )
}

/** A pool that records its queries. */
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

/** Bitmap index scans name an index and no table. The heap scan above counts the same rows. */
function rowsOf(node: PlanNode): number {
  if (node['Relation Name'] === undefined) return 0
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return (node['Actual Rows'] + removed) * node['Actual Loops']
}

function isSort(node: PlanNode): boolean {
  return ['Sort', 'Incremental Sort'].includes(node['Node Type'])
}
