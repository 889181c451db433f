import { ApiError } from '../../../platform/errors.ts'
import { failureOf } from '../query-failure.ts'
import type { KeptPair } from '../memory/kept-pair.ts'
import type { QueryAttempt, QueryFailure } from '../query-service.ts'
import { SqlRefusal } from '../sql/sql-refusal.ts'
import { SqlStatementError } from '../sql/sql-errors.ts'
import { sqlCandidates } from './sql-candidates.ts'
import type { ModelMessage, ModelReply, SqlModel } from './sql-model.ts'

export interface WritingOptions<Result> {
  readonly model: SqlModel
  /** What the model is told of the database. */
  readonly instructions: string
  readonly question: string
  /** Pairs that users approved, whose questions are like this one. */
  readonly recalled: readonly Pick<KeptPair, 'question' | 'sql'>[]
  /** Does with a statement what is to be done. @throws SqlRefusal or SqlStatementError for one that another may replace */
  readonly attempt: (sql: string) => Promise<Result>
  readonly signal: AbortSignal
}

export interface Written<Result> {
  readonly sql: string
  /** Undefined where no statement worked; the last of `attempts` tells why. */
  readonly result: Result | undefined
  readonly failure: QueryFailure | undefined
  readonly attempts: readonly QueryAttempt[]
}

/** After the first reply. */
const mostRepairs = 2

/** How much of the database's words goes back to the model: they may hold a value of the data, which is as long as whoever wrote it liked. */
const toldFailureCharacters = 500

/** How much of a reply without a statement is passed on. */
const shownReplyCharacters = 300

/**
 * Asks a model for a statement until one works, three times at most. One that fails goes back with the error.
 * @throws ApiError 502 `model-without-sql` when the last reply has no statement; what the model and `attempt` throw
 */
export async function writeSql<Result>(options: WritingOptions<Result>): Promise<Written<Result>> {
  const { model, instructions, question, signal } = options
  const messages: ModelMessage[] = [{ role: 'user', content: firstMessage(options) }]
  const attempts: QueryAttempt[] = []
  for (let turn = 0; ; turn++) {
    const reply = await model.reply({ instructions, messages, question, signal })
    const tried = await tryCandidates(reply.text, options.attempt)
    if (tried?.works === true) {
      attempts.push({ sql: tried.sql })
      return { sql: tried.sql, result: tried.result, failure: undefined, attempts }
    }
    if (tried !== undefined) attempts.push({ sql: tried.sql, failure: tried.failure })
    if (turn === mostRepairs) {
      if (tried === undefined) throw withoutSql(reply)
      return { sql: tried.sql, result: undefined, failure: tried.failure, attempts }
    }
    messages.push(
      { role: 'assistant', content: reply.text.trim() || '(nothing)' },
      { role: 'user', content: repairMessage(reply, tried?.failure) },
    )
  }
}

type Tried<Result> =
  | { readonly works: true; readonly sql: string; readonly result: Result }
  | { readonly works: false; readonly sql: string; readonly failure: QueryFailure }

/** The first candidate that works, or else the likeliest of those that do not; undefined where there is none. */
async function tryCandidates<Result>(
  reply: string,
  attempt: (sql: string) => Promise<Result>,
): Promise<Tried<Result> | undefined> {
  let failed: Extract<Tried<Result>, { works: false }> | undefined
  for (const sql of sqlCandidates(reply)) {
    try {
      return { works: true, sql, result: await attempt(sql) }
    } catch (error) {
      if (!(error instanceof SqlRefusal || error instanceof SqlStatementError)) throw error
      failed ??= { works: false, sql, failure: failureOf(error) }
      // What the gate refused may be prose; what the database refused is the statement.
      if (error instanceof SqlStatementError) return { works: false, sql, failure: failureOf(error) }
    }
  }
  return failed
}

function firstMessage({ question, recalled }: Pick<WritingOptions<unknown>, 'question' | 'recalled'>): string {
  const examples = recalled.map((pair) => `Question: ${pair.question}\nSQL:\n${pair.sql}`)
  const remembered =
    examples.length === 0
      ? ''
      : `A person has approved these answers to similar questions:\n\n${examples.join('\n\n')}\n\n`
  return `${remembered}Question: ${question}`
}

function repairMessage(reply: ModelReply, failure: QueryFailure | undefined): string {
  if (failure === undefined)
    return 'Your reply has no SELECT statement. Answer with one statement in a ```sql block, and nothing else.'
  return [
    reply.isCutOff
      ? 'Your reply was cut off because it is too long. Write a shorter statement.'
      : `The statement does not work: ${failure.detail.slice(0, toldFailureCharacters)}`,
    ...(failure.sqlState === undefined
      ? []
      : [`SQLSTATE ${failure.sqlState}${failure.position === undefined ? '' : ` at character ${failure.position}`}.`]),
    ...(failure.hint === undefined ? [] : [`Hint: ${failure.hint}`]),
    'Answer with the corrected statement in a ```sql block, and nothing else.',
  ].join('\n')
}

function withoutSql({ text, isCutOff }: ModelReply): ApiError {
  const said = text.trim().slice(0, shownReplyCharacters)
  const reason = isCutOff
    ? 'its reply was cut off because it is too long'
    : said === ''
      ? 'it said nothing. Ask in other words.'
      : `it said: ${said}`
  return new ApiError(502, 'model-without-sql', `The model wrote no statement for this question; ${reason}`)
}
