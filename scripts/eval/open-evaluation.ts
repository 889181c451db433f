import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { AgentMemory } from '../../src/ask/memory/agent-memory.ts'
import { PairFolder } from '../../src/ask/memory/pair-folder.ts'
import type { SqlModel } from '../../src/ask/models/sql-model.ts'
import { QueryEngine } from '../../src/ask/query-engine.ts'
import type { QueryDatabase } from '../../src/ask/query-engine.ts'
import { queryTargets } from '../../src/ask/query-service.ts'
import type { QueryService, QueryTarget } from '../../src/ask/query-service.ts'
import type { EvalDatabases } from './databases/eval-databases.ts'
import { Judge } from './judge.ts'
import type { TwoDatabases } from './judge.ts'
import { openQueryDatabase } from './open-query-database.ts'

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
