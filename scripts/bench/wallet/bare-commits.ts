import type pg from 'pg'

/** Connections of the wallet. */
const connections = 10

/** Commits a second of one small row each, by as many connections as the wallet has. */
export async function measureBareCommits(pool: pg.Pool, count: number): Promise<number> {
  await pool.query(
    'create table if not exists bench_commits (id bigint generated always as identity, at timestamptz default now())',
  )
  const begun = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next++ < count) await pool.query('insert into bench_commits default values')
    }),
  )
  return count / ((performance.now() - begun) / 1000)
}
