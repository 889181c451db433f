import { ApiError } from '../../platform/errors.ts'
import type { ExamplePair } from './examples/example-pair.ts'
import type { AgentMemory } from './memory/agent-memory.ts'
import { writeSql } from './models/write-sql.ts'
import type { Written } from './models/write-sql.ts'
import type { SqlModel } from './models/sql-model.ts'
import { failureOf } from './query-failure.ts'
import type { ModelState } from '../../platform/llm/model-state.ts'
import type { GeneratedSql, QueryAnswer, QueryOptions, QueryService, QueryTarget } from './query-service.ts'
import type { Prompt } from './prompt/build-prompt.ts'
import type { SqlAnswer } from './sql/sql-answer.ts'
import type { SqlRunner } from './sql/sql-runner.ts'

/** What is told of a database. */
export interface DatabaseKnowledge {
  readonly schema: string
  readonly notes: string
  readonly examples: readonly ExamplePair[]
  /** All that the model is told: rules, schema, notes, examples. */
  readonly prompt: Prompt
}

/** A database that can be asked. */
export interface QueryDatabase {
  readonly runner: SqlRunner
  /** As that of the runner. */
  readonly stuckSessions: number
  /** The same for as long as the service runs, once the chain is known. */
  readonly knowledge: DatabaseKnowledge
}

export interface QueryEngineOptions {
  readonly databases: ReadonlyMap<QueryTarget, QueryDatabase>
  /** Undefined: there is none. */
  readonly model: SqlModel | undefined
  /** What to set to have one. */
  readonly remedy: string
  readonly memory: AgentMemory
}

/** Approved pairs that the model is shown with a question. */
const recalledPairs = 3

/** Puts the databases, the model and the memory together. Nothing is kept of what is asked. */
export class QueryEngine implements QueryService {
  readonly targets: readonly QueryTarget[]
  readonly model: ModelState | undefined
  readonly remedy: string | undefined
  readonly #options: QueryEngineOptions

  constructor(options: QueryEngineOptions) {
    this.#options = options
    this.targets = [...options.databases.keys()]
    this.model = options.model?.state
    this.remedy = options.model === undefined ? options.remedy : undefined
  }

  get stuckSessions(): number {
    return [...this.#options.databases.values()].reduce((sum, database) => sum + database.stuckSessions, 0)
  }

  async runSql(
    target: QueryTarget,
    sql: string,
    options: QueryOptions & { readonly maxRows?: number } = {},
  ): Promise<SqlAnswer> {
    return this.#database(target).runner.run(sql, options)
  }

  async checkSql(target: QueryTarget, sql: string, options: QueryOptions = {}): Promise<void> {
    await this.#database(target).runner.check(sql, options)
  }

  async generateSql(
    target: QueryTarget,
    question: string,
    { signal, client }: QueryOptions = {},
  ): Promise<GeneratedSql> {
    const { runner } = this.#database(target)
    const { generated } = await this.#write({
      target,
      question,
      signal,
      attempt: async (sql, options) => {
        await runner.check(sql, { ...options, client })
        return true
      },
    })
    return generated
  }

  async ask(target: QueryTarget, question: string, { signal, client }: QueryOptions = {}): Promise<QueryAnswer> {
    const { runner } = this.#database(target)
    const { generated, result } = await this.#write<QueryOutcome>({
      target,
      question,
      signal,
      attempt: async (sql, options) => {
        try {
          return { answer: await runner.run(sql, { ...options, client }), failure: undefined }
        } catch (error) {
          // Nothing that the model could mend in good time: whoever asked sees the statement, and may narrow it.
          if (error instanceof ApiError && endOfAsking.has(error.code))
            return { answer: undefined, failure: failureOf(error) }
          throw error
        }
      },
    })
    return { ...generated, answer: result?.answer, failure: result?.failure ?? generated.failure }
  }

  describeSchema(target: QueryTarget): string {
    return this.#database(target).knowledge.schema
  }

  describeNotes(target: QueryTarget): string {
    return this.#database(target).knowledge.notes
  }

  examples(target: QueryTarget): readonly ExamplePair[] {
    return this.#database(target).knowledge.examples
  }

  async #write<Result>({
    target,
    question,
    signal = new AbortController().signal,
    attempt,
  }: {
    readonly target: QueryTarget
    readonly question: string
    readonly signal: AbortSignal | undefined
    readonly attempt: (sql: string, options: { readonly signal: AbortSignal }) => Promise<Result>
  }): Promise<{ generated: GeneratedSql; result: Written<Result>['result'] }> {
    const begin = performance.now()
    const { model, memory } = this.#options
    const { instructions, version: promptVersion } = this.#database(target).knowledge.prompt
    if (model === undefined)
      throw new ApiError(503, 'no-model', `There is no model to write SQL from questions. ${this.#options.remedy}`)
    const recalled = await memory.search(target, question, recalledPairs)
    const { sql, result, failure, attempts } = await writeSql({
      model,
      instructions,
      question,
      recalled,
      signal,
      attempt: (candidate) => attempt(candidate, { signal }),
    })
    const { provider, name } = model.state
    const durationMs = Math.round((performance.now() - begin) * 10) / 10
    return {
      generated: { target, question, sql, failure, attempts, model: `${provider}/${name}`, promptVersion, durationMs },
      result,
    }
  }

  #database(target: QueryTarget): QueryDatabase {
    const database = this.#options.databases.get(target)
    if (database !== undefined) return database
    const remedy = target === 'evm' ? ' Set EVM_EXPLORER_DATABASE_URL to the database of an EVM explorer.' : ''
    throw new ApiError(404, 'no-target', `The database "${target}" cannot be asked here.${remedy}`, { field: 'target' })
  }
}

interface QueryOutcome {
  readonly answer: SqlAnswer | undefined
  readonly failure: ReturnType<typeof failureOf> | undefined
}

const endOfAsking: ReadonlySet<string> = new Set(['sql-timeout', 'sql-row-too-large', 'sql-memory'])
