import { z } from 'zod'
import { targetField } from '../../dto.ts'
import { queryTargets } from '../../query-service.ts'
import { askRoute } from '../ask-route.ts'
import type { AskRoute } from '../ask-route.ts'

const model = z.strictObject({
  provider: z.string(),
  name: z.string(),
  is_scripted: z.boolean().describe('Whether it knows its example questions and nothing else.'),
})

const health = z
  .strictObject({
    status: z.string().describe('ok, or degraded: some database sessions do not end, see `stuck_sessions`.'),
    stuck_sessions: z
      .int()
      .describe('Database sessions that PostgreSQL cannot end. The log of the service says what to do.'),
    targets: z.array(targetField).describe('Databases that can be asked.'),
    model: model
      .nullable()
      .describe('Who writes the statements; null where no model is set, and `remedy` says what to set.'),
    remedy: z.string().nullable(),
    needs_token: z.boolean().describe('Whether all other calls need a token.'),
  })
  .meta({ id: 'Health' })

const example = z
  .strictObject({
    id: z.string(),
    target: targetField,
    question: z.string(),
    questions: z.array(z.string()).describe('The same in other words and languages.'),
    sql: z.string(),
  })
  .meta({ id: 'Example' })

const tag = 'Service'

/** What the service is and can do, for whoever has no token yet. */
export const serviceRoutes: readonly AskRoute[] = [
  askRoute({
    method: 'GET',
    path: '/health',
    operationId: 'getHealth',
    tag,
    summary: 'That the service works, and what it can do',
    access: 'open',
    response: health,
    example: {
      status: 'ok',
      stuck_sessions: 0,
      targets: ['indexer'],
      model: { provider: 'anthropic', name: 'claude-sonnet-4-6', is_scripted: false },
      remedy: null,
      needs_token: true,
    },
    handler: (_input, { service, needsToken }) => ({
      body: {
        status: service.stuckSessions === 0 ? 'ok' : 'degraded',
        stuck_sessions: service.stuckSessions,
        targets: [...service.targets],
        model:
          service.model === undefined
            ? null
            : { provider: service.model.provider, name: service.model.name, is_scripted: service.model.isScripted },
        remedy: service.remedy ?? null,
        needs_token: needsToken,
      },
    }),
  }),
  askRoute({
    method: 'GET',
    path: '/api/v1/examples',
    operationId: 'listExamples',
    tag,
    summary: 'Questions with statements that are known to work',
    access: 'open',
    query: z.object({ target: targetField.optional() }),
    response: z.strictObject({ data: z.array(example) }),
    example: {
      data: [
        {
          id: 'indexer-1',
          target: 'indexer',
          question: 'What is the newest indexed block?',
          questions: ['What is the newest indexed block?'],
          sql: 'SELECT max(height) AS height FROM raw.blocks',
        },
      ],
    },
    handler: ({ query }, { service }) => {
      const targets = queryTargets.filter(
        (target) => service.targets.includes(target) && (query.target ?? target) === target,
      )
      const data = targets.flatMap((target) =>
        service.examples(target).map(({ questions, sql }, i) => ({
          id: `${target}-${i + 1}`,
          target,
          question: questions[0],
          questions: [...questions],
          sql,
        })),
      )
      return { body: { data } }
    },
  }),
]
