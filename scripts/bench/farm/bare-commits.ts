import { setTimeout as delay } from 'node:timers/promises'
import { listen } from '../../../src/db/listen.ts'
import { openBenchDatabase } from './bench-database.ts'

/** Milliseconds from the start of a transaction that writes one row to its news at a listener: less than that no two processes need. */
export async function measureBareCommits(count: number): Promise<number[]> {
  const database = await openBenchDatabase()
  const stop = new AbortController()
  try {
    await database.pool.query('create table app.bench_commits (n integer not null)')
    let heard = Promise.withResolvers<void>()
    const listener = await listen(database.url, ['bench_commits'], () => heard.resolve(), {
      signal: stop.signal,
      onReconnect: () => undefined,
      onTrouble: (error) => process.stderr.write(`${error.message}\n`),
    })
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      await delay(10)
      heard = Promise.withResolvers()
      const begun = performance.now()
      await database.pool.query(
        "with written as (insert into app.bench_commits values (1)) select pg_notify('bench_commits', '')",
      )
      await heard.promise
      times.push(performance.now() - begun)
    }
    stop.abort()
    await listener.ended
    return times
  } finally {
    stop.abort()
    await database.close()
  }
}
