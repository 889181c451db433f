import { escapeLiteral } from 'pg'
import type pg from 'pg'

/** A node of a plan, as `explain (format json)` tells it; the numbers are there with `analyze` and `buffers`. */
export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  /** Rows that it gave, in the mean of its loops. */
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

/** @param options of EXPLAIN beside the format, such as `analyze, buffers` */
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

/** The same of the plan that a prepared statement has for all values, as the API's connections for such have it. */
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
    // The connection is kept: a new one would first have to read what there is to know of all partitions.
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

/** A node and all below it. */
export function flattenPlan(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flattenPlan)]
}

/** Pages that a plan touched, in memory or not. */
export function pagesOf(plan: PlanNode): number {
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
}

/** Tables and partitions with more than 1,000 rows, as `analyze` found them: nobody may read them as a whole. */
export async function largeTables(runner: pg.Pool | pg.ClientBase): Promise<ReadonlySet<string>> {
  const { rows } = await runner.query<{ relname: string }>('select relname from pg_class where reltuples > 1000')
  return new Set(rows.map(({ relname }) => relname))
}

/** Those of `tables` that a plan reads as a whole. */
export function readWhole(plan: PlanNode, tables: ReadonlySet<string>): string[] {
  const scans = flattenPlan(plan).filter((node) => node['Node Type'] === 'Seq Scan')
  return scans.map((node) => node['Relation Name'] ?? '').filter((name) => tables.has(name))
}

/** Rows that a plan gave from node to node, and those that it looked at and left out. */
export function rowsLookedAt(plan: PlanNode): number {
  return flattenPlan(plan).reduce((sum, node) => {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)
    return sum + (node['Actual Rows'] + removed) * node['Actual Loops']
  }, 0)
}

/** A client that writes down what it is asked, and asks it. */
export function recordStatements(client: pg.PoolClient): { client: pg.PoolClient; statements: Statement[] } {
  const statements: Statement[] = []
  const recording = new Proxy(client, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name) as unknown
      return (query: string | { text: string; values?: unknown[] }, values?: unknown[]) => {
        const { text, values: own = [] } = typeof query === 'string' ? { text: query } : query
        statements.push({ text, values: values ?? own })
        return values === undefined ? client.query(query as string) : client.query(query as string, values)
      }
    },
  })
  return { client: recording, statements }
}
