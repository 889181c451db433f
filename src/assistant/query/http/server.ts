import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import type { Middleware } from 'koa'
import { z } from 'zod'
import { asDatabaseError } from '../../../platform/db/errors.ts'
import { ApiError, RetryableError } from '../../../platform/errors.ts'
import { admitBearer, ownerOf, refuseDnsRebinding } from '../../../platform/http/guards.ts'
import { documentRoutes } from '../../../platform/http/openapi.ts'
import type { ApiInfo } from '../../../platform/http/openapi.ts'
import { problemOf, problemSchema } from '../../../platform/http/problem.ts'
import type { ErrorForm } from '../../../platform/http/problem.ts'
import type { Route } from '../../../platform/http/route.ts'
import { guard } from '../../../platform/http/router.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import type { HttpServer } from '../../../platform/http/server.ts'
import { clientReader } from '../../../platform/limits/clients.ts'
import type { Client } from '../../../platform/limits/clients.ts'
import { TokenBuckets } from '../../../platform/limits/token-buckets.ts'
import type { Logger } from '../../../platform/log.ts'
import type { Metrics } from '../../../platform/metrics.ts'
import { TileResults } from '../saved/tile-results.ts'
import { presentFailure, targetField } from '../dto.ts'
import { failureOf, queryTargets } from '../query-service.ts'
import { route } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'
import { dashboardRoutes } from './dashboard-routes.ts'
import { alertMailRoutes } from './alert-mail-routes.ts'
import { alertRoutes } from './alert-routes.ts'
import { exportRoutes } from './export-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { memoryRoutes } from './memory-routes.ts'
import { queryRoutes } from './query-routes.ts'
import { savedRoutes } from './saved-routes.ts'
import { schemaRoutes } from './schema-routes.ts'

const model = z.strictObject({
  provider: z.string(),
  name: z.string(),
  is_scripted: z.boolean().describe('True if it answers only the example questions.'),
})

const health = z
  .strictObject({
    status: z.string().describe('`ok`, or `degraded` if there are stuck sessions.'),
    stuck_sessions: z.int().describe('Database sessions that PostgreSQL cannot terminate; see the log of the service.'),
    targets: z.array(targetField).describe('Configured databases.'),
    model: model.nullable().describe('Model that writes statements; null if none is configured, see `remedy`.'),
    remedy: z.string().nullable(),
    needs_token: z.boolean().describe('True if other calls need a token.'),
    sends_email: z.boolean().describe('True if alerts can be e-mailed.'),
  })
  .meta({ id: 'Health' })

const example = z
  .strictObject({
    id: z.string(),
    target: targetField,
    question: z.string(),
    questions: z.array(z.string()).describe('Alternative wordings, also in other languages.'),
    sql: z.string(),
  })
  .meta({ id: 'Example' })

const tag = 'Service'

const serviceRoutes: readonly Route<AskServices>[] = [
  route({
    method: 'GET',
    path: '/health',
    operationId: 'getHealth',
    tag,
    summary: 'Health and capabilities',
    response: health,
    example: {
      status: 'ok',
      stuck_sessions: 0,
      targets: ['indexer'],
      model: { provider: 'anthropic', name: 'claude-sonnet-4-6', is_scripted: false },
      remedy: null,
      needs_token: true,
      sends_email: false,
    },
    handler: (_input, { service, needsToken, alertMails }) => ({
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
        sends_email: alertMails.isAvailable,
      },
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/examples',
    operationId: 'listExamples',
    tag,
    summary: 'List example questions with tested statements',
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

export const askRoutes: readonly Route<AskServices>[] = [
  ...queryRoutes,
  ...schemaRoutes,
  ...historyRoutes,
  ...memoryRoutes,
  ...savedRoutes,
  ...dashboardRoutes,
  ...alertRoutes,
  ...alertMailRoutes,
  ...exportRoutes,
  ...serviceRoutes,
]

/** Repeats `detail` and `code` in the fields of successful responses. */
const errorForm: ErrorForm = {
  schema: z
    .strictObject({
      ...problemSchema.shape,
      error: z.string().describe('Same as `detail`.'),
      error_code: z.string().describe('Same as `code`.'),
      sql_state: z.string().nullable().describe('SQLSTATE, if PostgreSQL rejected the statement.'),
      error_position: z.int().nullable().describe('Position of the error in the statement, in characters from 1.'),
      error_hint: z.string().nullable().describe('Hint from PostgreSQL.'),
    })
    .meta({ id: 'Problem' }),
  contentType: 'application/problem+json',
  bodyOf: (error, requestId) => ({ ...problemOf(error, requestId), ...presentFailure(failureOf(error)) }),
}

export const askApiInfo: ApiInfo = {
  title: 'flowfarm query service',
  description: [
    'Query Flow blockchain data in natural language or SQL.',
    'A statement is one SELECT. It runs in a read-only transaction and returns at most MAX_RESULT_ROWS rows; ' +
      '`truncated` is true if there are more. Large numbers are strings, bytes are 0x-prefixed hex, times are ISO ' +
      '8601 in UTC, errors are RFC 9457 problems.',
    'A language model gets the question with the tables, notes and examples. Its statement is checked like any ' +
      'other. Everything else works without a model.',
    'If API_TOKEN is set, all calls except `/health`, the examples, published dashboards, links in e-mails and this ' +
      'document need it as `Authorization: Bearer`.',
  ].join('\n\n'),
  securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'API_TOKEN, if set.' } },
  securityOf: ({ access }) => (access === 'none' ? [] : [{}, { token: [] }]),
  sharedErrors: {
    WrongToken: 'The token is missing or wrong.',
    WrongHost: 'Without API_TOKEN, local calls must use a local host name.',
    InternalError: 'Internal error.',
  },
  sharedErrorsOf: ({ access }) => ({
    ...(access === 'none' ? {} : { 401: 'WrongToken', 403: 'WrongHost' }),
    500: 'InternalError',
  }),
  errorsOf: () => ({ 400: 'Invalid or unknown parameter or field; see `field`.' }),
  errorForm,
}

interface AskServerOptions extends Omit<AskServices, 'needsToken' | 'tileResults' | 'viewers' | 'owner'> {
  readonly log: Logger
  readonly metrics: Metrics
  readonly host: string
  readonly trustedProxies?: BlockList
  readonly clientOf?: (request: IncomingMessage) => Client
  readonly port: number
  readonly token: string | undefined
  readonly page?: Middleware
  readonly closeGraceMs?: number
}

/** No CORS: `Content-Type: application/json` triggers a preflight. */
export async function createAskServer(options: AskServerOptions): Promise<HttpServer> {
  const { service, history, memory, saved, alerts, alertMails, exports, dashboards, token } = options
  const { host, page, trustedProxies = new BlockList() } = options
  const { clientOf = clientReader(trustedProxies), ...listening } = options
  return createHttpServer<AskServices>(
    { ...listening, service: 'ask', clientOf },
    {
      routes: [...askRoutes, ...documentRoutes(() => askRoutes, askApiInfo)],
      services: {
        service,
        history,
        memory,
        saved,
        alerts,
        alertMails,
        exports,
        dashboards,
        tileResults: new TileResults(service),
        viewers: new TokenBuckets({ idleMs: 60_000 }),
        owner: ownerOf(token),
        needsToken: token !== undefined,
      },
      guards: {
        token: guard((call) => {
          if (token === undefined) refuseDnsRebinding(call.request, host, trustedProxies)
          return admitBearer(call.header('Authorization'), token)
        }),
      },
      errorFormOf: () => errorForm,
      translate: databaseAway,
      isExpected: ({ code }) => code === 'no-model',
      unknownPath: (path) => `Unknown path: ${path}. See /docs for the API.`,
      home: '/',
      ...(page === undefined ? {} : { page }),
    },
  )
}

function databaseAway(thrown: unknown): ApiError | undefined {
  if (!(asDatabaseError(thrown) instanceof RetryableError)) return undefined
  return new ApiError(503, 'database-unavailable', 'The database is unavailable. Try again in 1 s.', {
    cause: thrown,
    details: { retryAfterSeconds: 1 },
  })
}
