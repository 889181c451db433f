import pLimit from 'p-limit'
import { ApiError } from '../../src/platform/errors.ts'
import type { GeneratedSql, QueryService } from '../../src/assistant/query/query-service.ts'
import type { GoldQuestion } from './gold/gold-question.ts'
import type { Judge } from './judge.ts'
import type { Outcome } from './replay/scenario.ts'

/** What became of a question. */
export interface EvaluatedQuestion {
  readonly gold: GoldQuestion
  readonly outcome: Outcome
  readonly hasOtherColumns: boolean
  readonly overlap: number
  /** Statements that the model wrote; more than one where it had to mend one. */
  readonly attempts: number
  /** The last statement; undefined where there was none. */
  readonly sql: string | undefined
  /** Why there is no answer. */
  readonly failure: string | undefined
  /** Of the service, with all turns of the model and without the run of the statement. */
  readonly durationMs: number
  readonly promptVersion: string | undefined
}

/**
 * Puts questions to a service and judges its statements. Questions are in flight at the same time, and come back in
 * their order.
 */
export async function evaluate(
  service: Pick<QueryService, 'generateSql'>,
  judge: Judge,
  questions: readonly GoldQuestion[],
  inFlight = 4,
): Promise<EvaluatedQuestion[]> {
  return pLimit(inFlight).map(questions, (gold) => evaluateOne(service, judge, gold))
}

async function evaluateOne(
  service: Pick<QueryService, 'generateSql'>,
  judge: Judge,
  gold: GoldQuestion,
): Promise<EvaluatedQuestion> {
  const startedAt = performance.now()
  let generated: GeneratedSql
  try {
    generated = await service.generateSql(gold.target, gold.question)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return {
      gold,
      outcome: `failed: ${error.code}`,
      hasOtherColumns: false,
      overlap: 0,
      attempts: 0,
      sql: undefined,
      failure: error.message,
      durationMs: performance.now() - startedAt,
      promptVersion: undefined,
    }
  }
  const { sql, failure, attempts, durationMs, promptVersion } = generated
  const judged =
    failure === undefined
      ? await judge.judge(gold, sql)
      : { outcome: `failed: ${failure.code}` as const, hasOtherColumns: false, overlap: 0, failure: failure.detail }
  return { gold, ...judged, attempts: attempts.length, sql, durationMs, promptVersion }
}
