import { escapeLiteral } from 'pg'
import type pg from 'pg'
import { StatementBatch } from '../../src/platform/db/statement-batch.ts'

/** A plan node of `explain (format json)`. The numbers require `analyze` and `buffers`. */
export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  /** Mean output rows per loop. */
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly PlanNode[]
}

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** @param options of EXPLAIN besides the format, such as `analyze, buffers` */
export async function explain(
  runner: pg.Pool | pg.ClientBase,
  { text, values }: Statement,
  options = '',
): Promise<PlanNode> {
  const {
    rows: [row],
  } = await runner.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (format json${options === '' ? '' : `, ${options}`}) ${text}`,
    options.includes('generic_plan') ? [] : [...values],
  )
  if (row === undefined) throw new Error('no plan')
  return row['QUERY PLAN'][0].Plan
}

/** The same for the generic plan of a prepared statement, as on the API's connections. */
export async function explainGeneric(pool: pg.Pool, { text, values }: Statement, options: string): Promise<PlanNode> {
  const client = await pool.connect()
  try {
    await client.query(`set plan_cache_mode = force_generic_plan; prepare explained as ${text}`)
    return await explain(
      client,
      { text: `execute explained ${values.length === 0 ? '' : `(${values.map(literal).join(', ')})`}`, values: [] },
      options,
    )
  } finally {
    // The connection is reused: a new one would first load the catalog of all partitions.
    await client.query('deallocate all; reset plan_cache_mode')
    client.release()
  }
}

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Buffer) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) {
    const items = value.map((item) => (item instanceof Buffer ? `\\x${item.toString('hex')}` : String(item)))
    return escapeLiteral(`{${items.map((item) => JSON.stringify(item)).join(',')}}`)
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return escapeLiteral(value)
  throw new TypeError(`a value of the type ${typeof value} cannot be written`)
}

/** A node and its descendants. */
export function flattenPlan(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flattenPlan)]
}

/** Pages that a plan touched, cached or not. */
export function pagesOf(plan: PlanNode): number {
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
}

/**
 * Tables and partitions with more than 1,000 rows by `analyze`, which must not be scanned as a
 * whole.
 */
export async function largeTables(runner: pg.Pool | pg.ClientBase): Promise<ReadonlySet<string>> {
  const { rows } = await runner.query<{ relname: string }>('select relname from pg_class where reltuples > 1000')
  return new Set(rows.map(({ relname }) => relname))
}

/** The `tables` that a plan scans as a whole. */
export function fullScans(plan: PlanNode, tables: ReadonlySet<string>): string[] {
  const scans = flattenPlan(plan).filter((node) => node['Node Type'] === 'Seq Scan')
  return scans.map((node) => node['Relation Name'] ?? '').filter((name) => tables.has(name))
}

/** Rows between plan nodes, including rows that a filter removed. */
export function rowsScanned(plan: PlanNode): number {
  return flattenPlan(plan).reduce((sum, node) => {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)
    return sum + (node['Actual Rows'] + removed) * node['Actual Loops']
  }, 0)
}

/** A client that records its queries. */
export function recordStatements(client: pg.PoolClient): { client: pg.PoolClient; statements: Statement[] } {
  const statements: Statement[] = []
  const recording = new Proxy(client, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name) as unknown
      return (query: string | StatementBatch | { text: string; values?: unknown[] }, values?: unknown[]) => {
        if (query instanceof StatementBatch) {
          for (const { text, values: own = [] } of query.statements) statements.push({ text, values: [...own] })
          return client.query(query)
        }
        const { text, values: own = [] } = typeof query === 'string' ? { text: query } : query
        statements.push({ text, values: values ?? own })
        return values === undefined ? client.query(query as string) : client.query(query as string, values)
      }
    },
  })
  return { client: recording, statements }
}
