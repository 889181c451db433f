import type pg from 'pg'

export type Figures = Readonly<Record<string, number>>

const MiB = 2 ** 20

/** Sizes of the largest tables with their partitions, and vacuuming of the most updated ones. */
export async function tableFigures(pool: pg.Pool): Promise<Figures> {
  // Sessions report their counts within a second of the end of a transaction.
  await pool.query('select pg_stat_force_next_flush()')
  const figures: Record<string, number> = {}
  const { rows: sizes } = await pool.query<{ name: string; heap: string; indexes: string; partitions: number }>(`
    select coalesce(p.relname, c.relname) as name, sum(pg_table_size(c.oid)) as heap,
      sum(pg_indexes_size(c.oid)) as indexes, count(i.inhparent)::int as partitions
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where n.nspname in ('raw', 'app', 'analytics') and c.relkind = 'r'
    group by 1 order by sum(pg_total_relation_size(c.oid)) desc`)
  figures['partitions'] = sizes.reduce((sum, { partitions }) => sum + partitions, 0)
  for (const { name, heap, indexes } of sizes.slice(0, 14)) {
    figures[`MiB of ${name}`] = Number(heap) / MiB
    figures[`MiB of indexes of ${name}`] = Number(indexes) / MiB
  }
  const { rows: updated } = await pool.query<{ name: string } & Record<'vacuums' | 'dead' | 'live' | 'hot', number>>(`
    select relname as name, autovacuum_count::int as vacuums, n_dead_tup::int as dead, n_live_tup::int as live,
      n_tup_hot_upd::float8 / greatest(n_tup_upd, 1) as hot
    from pg_stat_user_tables where schemaname in ('raw', 'app', 'analytics', 'bullmq')
    order by relname = 'worker_leases' desc, n_tup_upd desc limit 12`)
  for (const { name, vacuums, dead, live, hot } of updated) {
    figures[`vacuums of ${name}`] = vacuums
    figures[`live rows of ${name}`] = live
    figures[`dead rows of ${name}`] = dead
    figures[`share of heap-only updates of ${name}`] = hot
  }
  return figures
}

export async function resetStatements(pool: pg.Pool): Promise<void> {
  await pool.query('select bench.pg_stat_statements_reset()')
}

interface StatementCost {
  readonly text: string
  readonly calls: number
  readonly ms: number
  readonly planMs: number
  readonly pages: number
}

const isOfProgram = "dbid = (select oid from pg_database where datname = current_database()) and query !~ 'bench'"

/** Costs since the last reset, a block. */
export async function statementFigures(pool: pg.Pool, blocks: number): Promise<Figures> {
  const { rows } = await pool.query<StatementCost>(
    `select min(query) as text, sum(calls)::float8 / $1 as calls, sum(total_exec_time) / $1 as ms,
       sum(total_plan_time) / $1 as "planMs", sum(shared_blks_hit + shared_blks_read)::float8 / $1 as pages
     from bench.pg_stat_statements where ${isOfProgram} group by queryid order by ms desc`,
    [blocks],
  )
  const sum = (key: 'planMs' | 'pages' | 'calls'): number => rows.reduce((all, one) => all + one[key], 0)
  const figures: Record<string, number> = {
    'statements a block': sum('calls'),
    'pages a block': sum('pages'),
    'ms of planning a block': sum('planMs'),
  }
  for (const { text, ms, planMs, pages } of rows.slice(0, 30)) {
    const name = text.replaceAll(/\s+/g, ' ').slice(0, 58)
    figures[`ms a block: ${name}`] = ms + planMs
    figures[`pages a block: ${name}`] = pages
  }
  return figures
}

interface CallCost {
  readonly calls: number
  readonly pages: number
  readonly planMs: number
}

export async function readCallCost(pool: pg.Pool): Promise<CallCost> {
  const { rows } = await pool.query<CallCost>(`
    select coalesce(sum(calls), 0)::float8 as calls, coalesce(sum(total_plan_time), 0) as "planMs",
      coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as pages
    from bench.pg_stat_statements where ${isOfProgram} and query !~* '^(begin|commit|set|discard|listen)'`)
  return rows[0] ?? { calls: 0, pages: 0, planMs: 0 }
}
