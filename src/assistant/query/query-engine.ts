import { ApiError } from '../../platform/errors.ts'
import type { ModelState } from '../../platform/llm/settings.ts'
import type { AgentMemory } from './agent-memory.ts'
import type { ExamplePair } from './example-pairs.ts'
import { explainSql } from './explain-sql.ts'
import type { CatalogTable, DatabaseKnowledge } from './knowledge.ts'
import { failureOf } from './query-service.ts'
import type {
  GeneratedSql,
  QueryAnswer,
  QueryOptions,
  QueryService,
  QueryTarget,
  QuestionOptions,
} from './query-service.ts'
import { databaseUnavailable } from './sql/sql-errors.ts'
import { describeOwnTables, noOwnTables } from './own-tables.ts'
import type { OwnTables } from './own-tables.ts'
import type { ExportOptions, RunOptions, SqlAnswer, SqlRunner } from './sql/sql-runner.ts'
import { writeSql } from './write-sql.ts'
import type { SqlModel, GeneratedStatement } from './write-sql.ts'

export interface QueryDatabase {
  readonly runner: SqlRunner
  readonly stuckSessions: number
  readonly knowledge: DatabaseKnowledge
  readonly ownTables: OwnTables
  /** Fixed tables with recent row estimates. */
  readonly catalog: () => Promise<readonly CatalogTable[]>
}

export interface QueryEngineOptions {
  readonly databases: ReadonlyMap<QueryTarget, QueryDatabase>
  readonly model: SqlModel | undefined
  readonly remedy: string
  readonly memory: AgentMemory
}

const recalledPairs = 3

/** A model gets those that suit its question. */
const maxOwnCharacters = 12_000

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

  async runSql(target: QueryTarget, sql: string, options: RunOptions = {}): Promise<SqlAnswer> {
    return this.#database(target).runner.run(sql, options)
  }

  async exportSql(target: QueryTarget, sql: string, options: ExportOptions): Promise<void> {
    await this.#database(target).runner.export(sql, options)
  }

  async checkSql(target: QueryTarget, sql: string, options: QueryOptions = {}): Promise<void> {
    await this.#database(target).runner.check(sql, options)
  }

  async generateSql(
    target: QueryTarget,
    question: string,
    { signal, client, earlier }: QuestionOptions = {},
  ): Promise<GeneratedSql> {
    const { runner } = this.#database(target)
    const { generated } = await this.#write({
      target,
      question,
      earlier,
      signal,
      attempt: async (sql, options) => {
        await runner.check(sql, { ...options, client })
        return true
      },
    })
    return generated
  }

  async ask(
    target: QueryTarget,
    question: string,
    { signal, client, earlier }: QuestionOptions = {},
  ): Promise<QueryAnswer> {
    const { runner } = this.#database(target)
    const { generated, result } = await this.#write<QueryOutcome>({
      target,
      question,
      earlier,
      signal,
      attempt: async (sql, options) => {
        try {
          return { answer: await runner.run(sql, { ...options, client }), failure: undefined }
        } catch (error) {
          // The model cannot fix these in time; the user can narrow the statement.
          if (error instanceof ApiError && unrepairable.has(error.code))
            return { answer: undefined, failure: failureOf(error) }
          throw error
        }
      },
    })
    return { ...generated, answer: result?.answer, failure: result?.failure ?? generated.failure }
  }

  async explainSql(
    target: QueryTarget,
    sql: string,
    { signal = new AbortController().signal, question }: QueryOptions & { readonly question?: string | undefined } = {},
  ): Promise<string> {
    const catalog = await this.catalog(target)
    return await explainSql({ model: this.#model(), sql, question, catalog, signal })
  }

  async catalog(target: QueryTarget): Promise<readonly CatalogTable[]> {
    const { ownTables, catalog } = this.#database(target)
    return [...ownTables.tables, ...(await catalog())]
  }

  functions(target: QueryTarget): readonly string[] {
    return this.#database(target).runner.functions
  }

  describeSchema(target: QueryTarget): string {
    const { knowledge, ownTables } = this.#database(target)
    return [describeOwnTables(ownTables, maxOwnCharacters), knowledge.schema].filter((text) => text !== '').join('\n\n')
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
    earlier,
    signal = new AbortController().signal,
    attempt,
  }: {
    readonly target: QueryTarget
    readonly question: string
    readonly earlier: QuestionOptions['earlier']
    readonly signal: AbortSignal | undefined
    readonly attempt: (sql: string, options: { readonly signal: AbortSignal }) => Promise<Result>
  }): Promise<{ generated: GeneratedSql; result: GeneratedStatement<Result>['result'] }> {
    const begin = performance.now()
    const { memory } = this.#options
    const { knowledge, ownTables } = this.#database(target)
    const { instructions, version: promptVersion } = knowledge.prompt
    const model = this.#model()
    const recalled = await memory.search(target, question, recalledPairs)
    const { sql, result, failure, attempts } = await writeSql({
      model,
      instructions,
      question,
      earlier,
      ownTables: describeOwnTables(ownTables, maxOwnCharacters, question),
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

  #model(): SqlModel {
    const { model, remedy } = this.#options
    if (model === undefined) throw new ApiError(503, 'no-model', `No language model is configured. ${remedy}`)
    return model
  }

  #database(target: QueryTarget): QueryDatabase {
    const database = this.#options.databases.get(target)
    if (database !== undefined) return database
    const remedy = target === 'evm' ? ' Set EVM_EXPLORER_DATABASE_URL to the database of an EVM explorer.' : ''
    throw new ApiError(404, 'no-target', `Database "${target}" is not configured.${remedy}`, { field: 'target' })
  }
}

interface QueryOutcome {
  readonly answer: SqlAnswer | undefined
  readonly failure: ReturnType<typeof failureOf> | undefined
}

const unrepairable: ReadonlySet<string> = new Set(['sql-timeout', 'sql-row-too-large', 'sql-memory'])

const nothing: DatabaseKnowledge = {
  schema: '',
  notes: '',
  examples: [],
  prompt: { instructions: '', version: 'none' },
}

/** A database that was unreachable at startup: until it opens, calls fail with 503. */
export class DeferredDatabase implements QueryDatabase {
  readonly #failure = Promise.withResolvers<void>()
  #cause: unknown
  #database: QueryDatabase | undefined

  get firstFailure(): Promise<void> {
    return this.#failure.promise
  }

  failed(cause: unknown): void {
    this.#cause = cause
    this.#failure.resolve()
  }

  opened(database: QueryDatabase): void {
    this.#database = database
  }

  /** @throws ApiError 503 `sql-unavailable` */
  get runner(): SqlRunner {
    if (this.#database === undefined) throw databaseUnavailable(this.#cause)
    return this.#database.runner
  }

  get stuckSessions(): number {
    return this.#database?.stuckSessions ?? 0
  }

  get knowledge(): DatabaseKnowledge {
    return this.#database?.knowledge ?? nothing
  }

  get ownTables(): OwnTables {
    return this.#database?.ownTables ?? noOwnTables
  }

  get catalog(): QueryDatabase['catalog'] {
    if (this.#database === undefined) throw databaseUnavailable(this.#cause)
    return this.#database.catalog
  }
}
