import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { AgentMemory } from '../../src/assistant/query/agent-memory.ts'
import { readKnowledge } from '../../src/assistant/query/knowledge.ts'
import { noOwnTables } from '../../src/assistant/query/own-tables.ts'
import { PairFolder } from '../../src/assistant/query/pair-folder.ts'
import { queryTargets } from '../../src/assistant/query/query-service.ts'
import { QueryEngine } from '../../src/assistant/query/query-engine.ts'
import type { QueryService, QueryTarget, GeneratedSql } from '../../src/assistant/query/query-service.ts'
import type { QueryDatabase } from '../../src/assistant/query/query-engine.ts'
import { openSqlRunner } from '../../src/assistant/query/sql/sql-runner.ts'
import type { SqlModel } from '../../src/assistant/query/write-sql.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import type { EvalDatabases } from './databases.ts'
import pLimit from 'p-limit'
import { ApiError } from '../../src/platform/errors.ts'
import type { GoldQuestion } from './gold-questions.ts'
import type { SqlAnswer, SqlRunner } from '../../src/assistant/query/sql/sql-runner.ts'
import { compareAnswers } from './compare-answers.ts'
import type { Comparison } from './compare-answers.ts'

export interface Evaluation extends AsyncDisposable {
  readonly databases: ReadonlyMap<QueryTarget, TwoDatabases>
  readonly judge: Judge
  serviceWith(model: SqlModel): QueryService
}

export async function openEvaluation(urls: Pick<EvalDatabases, QueryTarget>): Promise<Evaluation> {
  const known = new Map<QueryTarget, QueryDatabase>()
  const databases = new Map<QueryTarget, TwoDatabases>()
  for (const target of queryTargets) {
    const [requested, other] = [
      await openQueryDatabase(target, urls[target].known),
      await openQueryDatabase(target, urls[target].other),
    ]
    known.set(target, requested)
    databases.set(target, { known: requested.runner, other: other.runner })
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

export function serviceOn(databases: ReadonlyMap<QueryTarget, QueryDatabase>, model: SqlModel): QueryService {
  const folder = new PairFolder(join(tmpdir(), `flowfarm-eval-${process.pid}`), pino({ level: 'silent' }))
  return new QueryEngine({ databases, model, remedy: '', memory: new AgentMemory({ folder }) })
}

/** Defaults of QUERY_TIMEOUT_S and MAX_RESULT_ROWS. */
const [timeoutSeconds, maxRows] = [30, 500]

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
    return { runner, knowledge, ownTables: noOwnTables, catalog: async () => [], stuckSessions: 0 }
  } finally {
    await pool.end()
  }
}

export type Outcome =
  | 'right'
  | 'wrong'
  /** Right in the known database only. */
  | 'by-accident'
  | `failed: ${string}`

export interface EvaluatedQuestion {
  readonly gold: GoldQuestion
  readonly outcome: Outcome
  readonly hasOtherColumns: boolean
  readonly overlap: number
  readonly attempts: number
  readonly sql: string | undefined
  readonly failure: string | undefined
  readonly durationMs: number
  readonly promptVersion: string | undefined
}

const maxConcurrent = 4

export async function evaluate(
  service: Pick<QueryService, 'generateSql'>,
  judge: Judge,
  questions: readonly GoldQuestion[],
): Promise<EvaluatedQuestion[]> {
  return pLimit(maxConcurrent).map(questions, (gold) => evaluateOne(service, judge, gold))
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

/** In `other`, nearly every question has another answer. */
export interface TwoDatabases {
  readonly known: SqlRunner
  readonly other: SqlRunner
}

export interface Judgement {
  readonly outcome: Outcome
  readonly hasOtherColumns: boolean
  readonly overlap: number
  readonly failure: string | undefined
}

/** Compares rows, not text. */
export class Judge {
  readonly #databases: ReadonlyMap<QueryTarget, TwoDatabases>
  readonly #accepted = new Map<string, Promise<readonly AnswerPair[]>>()

  constructor(databases: ReadonlyMap<QueryTarget, TwoDatabases>) {
    this.#databases = databases
  }

  /** @throws the error of an accepted statement: the evaluation is broken */
  async judge(gold: GoldQuestion, sql: string): Promise<Judgement> {
    const accepted = await this.answers(gold)
    let found: AnswerPair
    try {
      found = await this.#run(gold.target, sql)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { outcome: `failed: ${error.code}`, hasOtherColumns: false, overlap: 0, failure: error.message }
    }
    const compared = accepted.map(
      (answer) =>
        [compareAnswers(answer.known, found.known, gold), compareAnswers(answer.other, found.other, gold)] as const,
    )
    const right = compared.find((both) => both.every(isRight))
    const overlap = Math.max(...compared.map(([known]) => known.overlap))
    if (right !== undefined)
      return {
        outcome: 'right',
        hasOtherColumns: right.some(({ verdict }) => verdict === 'same-values'),
        overlap,
        failure: undefined,
      }
    return {
      outcome: compared.some(([known]) => isRight(known)) ? 'by-accident' : 'wrong',
      hasOtherColumns: false,
      overlap,
      failure: undefined,
    }
  }

  answers(gold: GoldQuestion): Promise<readonly AnswerPair[]> {
    const before = this.#accepted.get(gold.id)
    if (before !== undefined) return before
    const answers = Promise.all(gold.accepted.map((sql) => this.#run(gold.target, sql)))
    this.#accepted.set(gold.id, answers)
    return answers
  }

  async #run(target: QueryTarget, sql: string): Promise<AnswerPair> {
    const databases = this.#databases.get(target)
    if (databases === undefined) throw new Error(`No evaluation databases for target ${target}.`)
    const [known, other] = await Promise.all([databases.known.run(sql), databases.other.run(sql)])
    return { known, other }
  }
}

export interface AnswerPair {
  readonly known: SqlAnswer
  readonly other: SqlAnswer
}

function isRight({ verdict }: Comparison): boolean {
  return verdict !== 'different'
}
