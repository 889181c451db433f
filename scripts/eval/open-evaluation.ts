import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { AgentMemory } from '../../src/assistant/query/agent-memory.ts'
import { readKnowledge } from '../../src/assistant/query/knowledge.ts'
import { PairFolder } from '../../src/assistant/query/pair-folder.ts'
import { queryTargets } from '../../src/assistant/query/query-service.ts'
import { QueryEngine } from '../../src/assistant/query/query-engine.ts'
import type { QueryService, QueryTarget } from '../../src/assistant/query/query-service.ts'
import type { QueryDatabase } from '../../src/assistant/query/query-engine.ts'
import { openSqlRunner } from '../../src/assistant/query/sql/sql-runner.ts'
import type { SqlModel } from '../../src/assistant/query/write-sql.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import type { EvalDatabases } from './databases/eval-databases.ts'
import { Judge } from './judge.ts'
import type { TwoDatabases } from './judge.ts'

/** The query service on the databases of the evaluation, with whichever model. */
export interface Evaluation extends AsyncDisposable {
  readonly databases: ReadonlyMap<QueryTarget, TwoDatabases>
  readonly judge: Judge
  /** The service on the known databases; nothing of it is kept. */
  serviceWith(model: SqlModel): QueryService
}

/** Opens the databases as the service does: the gate, the reader role, the prompt made of the catalogs. */
export async function openEvaluation(urls: Pick<EvalDatabases, QueryTarget>): Promise<Evaluation> {
  const known = new Map<QueryTarget, QueryDatabase>()
  const databases = new Map<QueryTarget, TwoDatabases>()
  for (const target of queryTargets) {
    const [asked, other] = [
      await openQueryDatabase(target, urls[target].known),
      await openQueryDatabase(target, urls[target].other),
    ]
    known.set(target, asked)
    databases.set(target, { known: asked.runner, other: other.runner })
  }
  return {
    databases,
    judge: new Judge(databases),
    serviceWith: (model) => serviceOn(known, model),
    [Symbol.asyncDispose]: async () => {
      for (const { known: one, other } of databases.values()) await Promise.all([one.end(), other.end()])
    },
  }
}

/** The query service on open databases, without anything in its memory. */
export function serviceOn(databases: ReadonlyMap<QueryTarget, QueryDatabase>, model: SqlModel): QueryService {
  const folder = new PairFolder(join(tmpdir(), `flowfarm-eval-nothing-kept-${process.pid}`), pino({ level: 'silent' }))
  return new QueryEngine({ databases, model, remedy: '', memory: new AgentMemory({ folder }) })
}

/** The defaults of QUERY_TIMEOUT_S and MAX_RESULT_ROWS, which the prompt names. */
const [timeoutSeconds, maxRows] = [30, 500]

/** Opens a database of the simulated chain as the query service does; `runner.end()` closes all of it. */
export async function openQueryDatabase(target: QueryTarget, url: string): Promise<QueryDatabase> {
  const pool = createPool(url, { max: 1, applicationName: 'eval' })
  try {
    const knowledge = await readKnowledge({ target, pool, network: 'emulator', maxRows, timeoutSeconds })
    const runner = await openSqlRunner({
      target,
      url,
      maxRows,
      timeoutMs: timeoutSeconds * 1000,
      log: pino({ level: 'silent' }),
    })
    return { runner, knowledge, stuckSessions: 0 }
  } finally {
    await pool.end()
  }
}
