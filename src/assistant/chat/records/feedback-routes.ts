import { z } from 'zod'
import { routesOf } from '../../../platform/http/route.ts'
import type { Route } from '../../../platform/http/route.ts'
import { historyLimits } from '../repair-answer.ts'
import { feedbackEntry, feedbackLimits, feedbackReasons } from './chat-feedback.ts'
import { recordsPerMinute, secret } from './share-routes.ts'
import type { RecordOwner, RecordServices } from './share-routes.ts'

const route = routesOf<RecordServices, { record: RecordOwner }>()

const answerId = z.string('must be a string').regex(/^[\w-]{1,64}$/, 'must have 1 to 64 letters, digits, _ or -')
const key = secret.describe('Random secret of the conversation, made by the client. It deletes the ratings.')

const rating = z
  .strictObject(
    {
      key,
      answer_id: answerId,
      rating: z.enum(['good', 'bad'], 'must be good or bad'),
      reason: z.enum([...feedbackReasons.good, ...feedbackReasons.bad], 'must be a known reason'),
      comment: z
        .string('must be a string')
        .max(feedbackLimits.commentCharacters, `must have at most ${feedbackLimits.commentCharacters} characters`)
        .default(''),
      messages: z.unknown().describe('The conversation up to the answer, as for sharing.'),
    },
    'must be a JSON object',
  )
  .refine(({ rating: given, reason }) => (feedbackReasons[given] as readonly string[]).includes(reason), {
    path: ['reason'],
    message: 'must be a reason of the rating',
  })

/** The page sends more in several requests. */
const maxKeys = 100

const done = z.strictObject({ status: z.string() })
const problems = {
  429: `The client stores more than ${recordsPerMinute} records a minute (\`rate-limited\`).`,
  503: 'The database is unavailable.',
}

export const feedbackRoutes: readonly Route<RecordServices>[] = [
  route({
    method: 'POST',
    path: '/api/chat/feedback',
    operationId: 'rateAnswer',
    tag: 'Feedback',
    summary: 'Rate an answer, with a reason',
    description:
      `Stores the last ${feedbackLimits.questions} questions, and statements, charts and text of the answer, for ` +
      `\`npm run eval -- --feedback\`. No route returns them. Deleted after ${feedbackLimits.days} days; a client ` +
      `has at most ${feedbackLimits.perOwner}.`,
    access: 'record',
    body: rating,
    bodyExample: {
      key: 'V3h1kq0PZbW7xv2m8Yc4Tw',
      answer_id: 'x7Kd02mPqA',
      rating: 'bad',
      reason: 'wrong-data',
      comment: 'Failed transactions are counted too.',
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'How many transactions were there?' }] },
        { role: 'assistant', parts: [{ type: 'text', text: 'There were 140,000.' }] },
      ],
    },
    maxBodyBytes: historyLimits.bodyBytes,
    response: done,
    example: { status: 'stored' },
    problems: {
      409: 'Too many ratings (`feedback-full`).',
      413: 'The conversation is too large (`share-too-large`, `body-too-large`).',
      ...problems,
    },
    handler: async ({ body, caller }, { feedback }) => {
      caller.count()
      const { key: conversation, answer_id: messageId, rating: given, reason, comment, messages } = body
      await feedback.rate(
        { owner: caller.owner, key: conversation, messageId },
        { rating: given, reason, ...feedbackEntry(comment, messages) },
      )
      return { body: { status: 'stored' } }
    },
  }),
  route({
    method: 'POST',
    path: '/api/chat/feedback/delete',
    operationId: 'deleteFeedback',
    tag: 'Feedback',
    summary: 'Delete the rating of an answer, or all of conversations',
    access: 'record',
    body: z.strictObject(
      {
        keys: z
          .array(key, 'must be a list')
          .min(1, 'must not be empty')
          .max(maxKeys, `must have at most ${maxKeys} keys`),
        answer_id: answerId.exactOptional(),
      },
      'must be a JSON object',
    ),
    bodyExample: { keys: ['V3h1kq0PZbW7xv2m8Yc4Tw'] },
    response: done,
    example: { status: 'deleted' },
    problems,
    handler: async ({ body, caller }, { feedback }) => {
      caller.count()
      await feedback.remove(body.keys, body.answer_id)
      return { body: { status: 'deleted' } }
    },
  }),
]
