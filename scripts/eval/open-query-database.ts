import { pino } from 'pino'
import { readKnowledge } from '../../src/ask/prompt/read-knowledge.ts'
import type { QueryDatabase } from '../../src/ask/query-engine.ts'
import type { QueryTarget } from '../../src/ask/query-service.ts'
import { openSqlRunner } from '../../src/ask/sql/open-sql-runner.ts'
import { createPool } from '../../src/db/pool.ts'

/** The defaults of QUERY_TIMEOUT_S and MAX_RESULT_ROWS, which the prompt names. */
const [timeoutSeconds, mostRows] = [30, 500]

/** Opens a database of the simulated chain as the query service does; `runner.end()` closes all of it. */
export async function openQueryDatabase(target: QueryTarget, url: string): Promise<QueryDatabase> {
  const pool = createPool(url, { max: 1, applicationName: 'eval' })
  try {
    const knowledge = await readKnowledge({ target, pool, network: 'emulator', mostRows, timeoutSeconds })
    const runner = await openSqlRunner({
      target,
      url,
      mostRows,
      timeoutMs: timeoutSeconds * 1000,
      log: pino({ level: 'silent' }),
    })
    return { runner, knowledge, stuckSessions: 0 }
  } finally {
    await pool.end()
  }
}
