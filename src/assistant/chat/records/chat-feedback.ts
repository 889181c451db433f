import type { Pool } from 'pg'
import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { query, withTransaction } from '../../../platform/db/pool.ts'
import { sqlToolNames } from '../../mcp/query-tools.ts'
import { queryTargets } from '../../query/query-service.ts'
import { isJsonObject } from '../repair-answer.ts'
import { readSharedChat } from './shared-chat.ts'
import { hashOf } from './shared-chats.ts'

export const feedbackReasons = {
  good: ['correct', 'well-explained', 'good-chart'],
  bad: ['wrong-data', 'misunderstood', 'wrong-chart', 'incomplete', 'refused'],
} as const

export const feedbackLimits = {
  perOwner: 500,
  total: 10_000,
  days: 365,
  commentCharacters: 1000,
  questions: 5,
  questionCharacters: 2000,
  statements: 10,
  charts: 5,
  answerCharacters: 4000,
} as const

const entry = z.strictObject({
  comment: z.string(),
  /** Oldest first; the last one is answered. */
  questions: z.array(z.string()),
  statements: z.array(z.strictObject({ target: z.enum(queryTargets), sql: z.string(), hasFailed: z.boolean() })),
  charts: z.array(z.strictObject({ chartType: z.string(), title: z.string() })),
  answer: z.string(),
  model: z.string().nullable(),
})
type FeedbackEntry = z.output<typeof entry>

interface Rating {
  readonly rating: 'good' | 'bad'
  readonly reason: string
}

export interface StoredFeedback extends Rating, FeedbackEntry {
  readonly createdAt: Date
}

/**
 * Questions, statements and charts up to the rated answer, without rows and other tools.
 *
 * @throws ApiError 400 `invalid-field`, 413 `share-too-large`
 */
export function feedbackEntry(comment: string, messages: unknown): FeedbackEntry {
  const chat = readSharedChat({ title: 'Feedback', messages })
  const last = chat.messages.at(-1)
  if (last?.role !== 'assistant')
    throw new ApiError(400, 'invalid-field', 'Field "messages" must end with the answer.', { field: 'messages' })
  const textOf = ({ parts }: (typeof chat.messages)[number], max: number): string =>
    parts
      .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
      .join('\n\n')
      .slice(0, max)
      .toWellFormed()
  return {
    comment: comment.toWellFormed(),
    questions: chat.messages
      .filter(({ role }) => role === 'user')
      .slice(-feedbackLimits.questions)
      .map((message) => textOf(message, feedbackLimits.questionCharacters)),
    statements: last.parts
      .flatMap(({ toolName, input, state }) => {
        const target = queryTargets.find((each) => sqlToolNames[each] === toolName)
        const sql = isJsonObject(input) ? input['sql'] : undefined
        return target === undefined || typeof sql !== 'string'
          ? []
          : [{ target, sql, hasFailed: state !== 'output-available' }]
      })
      .slice(-feedbackLimits.statements),
    charts: last.parts
      .flatMap(({ toolName, state, input }) =>
        toolName === 'createChart' && state === 'output-available' && isJsonObject(input)
          ? [{ chartType: String(input['chartType']), title: String(input['title']) }]
          : [],
      )
      .slice(-feedbackLimits.charts),
    answer: textOf(last, feedbackLimits.answerCharacters),
    model: last.metadata?.model ?? null,
  }
}

type Maxima = Pick<typeof feedbackLimits, 'perOwner' | 'total'>

/** Ratings in app.chat_feedback. Only the operator reads them; the key of a conversation deletes them. */
export class ChatFeedback {
  readonly #pool: Pool
  readonly #max: { readonly [Name in keyof Maxima]: number }

  constructor(pool: Pool, max: { readonly [Name in keyof Maxima]: number } = feedbackLimits) {
    this.#pool = pool
    this.#max = max
  }

  /** Replaces an earlier rating of the answer. @throws ApiError 409 `feedback-full` */
  async rate(
    { owner, key, messageId }: { readonly owner: string; readonly key: string; readonly messageId: string },
    { rating, reason, ...rated }: Rating & FeedbackEntry,
  ): Promise<void> {
    await withTransaction(this.#pool, async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('app.chat_feedback', 0))`)
      await client.query('DELETE FROM app.chat_feedback WHERE conversation_hash = $1 AND message_id = $2', [
        hashOf(key),
        messageId,
      ])
      const { rows } = await query<{ own: number; total: number }>(
        client,
        `SELECT (SELECT count(*)::int FROM app.chat_feedback WHERE owner = $1) AS own,
           (SELECT count(*)::int FROM app.chat_feedback) AS total`,
        [owner],
      )
      const { own = 0, total = 0 } = rows[0] ?? {}
      if (own >= this.#max.perOwner)
        throw full(`You have ${own} ratings, the limit. Delete rated chats, or remove ratings first.`)
      if (total >= this.#max.total) throw full(`The server has ${total} ratings, the limit. Tell its operator.`)
      await client.query(
        `INSERT INTO app.chat_feedback (conversation_hash, message_id, owner, rating, reason, entry)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        [hashOf(key), messageId, owner, rating, reason, JSON.stringify(rated)],
      )
    })
  }

  /** @param messageId default: all answers of the conversations */
  async remove(keys: readonly string[], messageId?: string): Promise<void> {
    await this.#pool.query(
      'DELETE FROM app.chat_feedback WHERE conversation_hash = ANY ($1) AND ($2::text IS NULL OR message_id = $2)',
      [keys.map(hashOf), messageId ?? null],
    )
  }

  async deleteExpired(): Promise<void> {
    await this.#pool.query('DELETE FROM app.chat_feedback WHERE created_at <= now() - make_interval(days => $1)', [
      feedbackLimits.days,
    ])
  }
}

/** Newest first. */
export async function readFeedback(pool: Pool, max: number = feedbackLimits.total): Promise<StoredFeedback[]> {
  const { rows } = await query<Rating & { entry: string; createdAt: Date }>(
    pool,
    `SELECT rating, reason, entry, created_at AS "createdAt" FROM app.chat_feedback
     ORDER BY created_at DESC LIMIT $1`,
    [max],
  )
  return rows.map(({ entry: text, ...row }) => ({ ...row, ...entry.parse(JSON.parse(text)) }))
}

function full(text: string): ApiError {
  return new ApiError(409, 'feedback-full', text)
}
