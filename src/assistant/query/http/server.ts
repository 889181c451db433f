import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import type { Middleware } from 'koa'
import { z } from 'zod'
import { asDatabaseError } from '../../../platform/db/errors.ts'
import { ApiError, RetryableError } from '../../../platform/errors.ts'
import { admitBearer, refuseRebound } from '../../../platform/http/guards.ts'
import { documentRoutes } from '../../../platform/http/openapi.ts'
import type { ApiInfo } from '../../../platform/http/openapi.ts'
import { problemOf, problemSchema } from '../../../platform/http/problem.ts'
import type { ErrorForm } from '../../../platform/http/problem.ts'
import { routesOf } from '../../../platform/http/route.ts'
import type { Route } from '../../../platform/http/route.ts'
import { guard } from '../../../platform/http/router.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import type { HttpServer } from '../../../platform/http/server.ts'
import { clientReader } from '../../../platform/limits/clients.ts'
import type { Client } from '../../../platform/limits/clients.ts'
import type { Logger } from '../../../platform/log.ts'
import type { Metrics } from '../../../platform/metrics.ts'
import { presentFailure, targetField } from '../dto.ts'
import { failureOf, queryTargets } from '../query-service.ts'
import { route } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'
import { historyRoutes } from './history-routes.ts'
import { memoryRoutes } from './memory-routes.ts'
import { queryRoutes } from './query-routes.ts'

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

/** Open to clients without a token. */
const serviceRoutes: readonly Route<AskServices>[] = [
  route({
    method: 'GET',
    path: '/health',
    operationId: 'getHealth',
    tag,
    summary: 'That the service works, and what it can do',
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
  route({
    method: 'GET',
    path: '/api/v1/examples',
    operationId: 'listExamples',
    tag,
    summary: 'Questions with statements that are known to work',
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

/** The routes of the query service, in the order of its description. */
export const askRoutes: readonly Route<AskServices>[] = [
  ...queryRoutes,
  ...historyRoutes,
  ...memoryRoutes,
  ...serviceRoutes,
]

/** Problems of this service repeat `detail` and `code` in the fields of answers. */
const errorForm: ErrorForm = {
  schema: z
    .strictObject({
      ...problemSchema.shape,
      error: z.string().describe('The same as `detail`.'),
      error_code: z.string().describe('The same as `code`.'),
      sql_state: z.string().nullable().describe("PostgreSQL's code of the error, where it refused the statement."),
      error_position: z.int().nullable().describe('Character of the statement at which the fault is, from 1.'),
      error_hint: z.string().nullable().describe('What PostgreSQL advises.'),
    })
    .meta({ id: 'Problem' }),
  contentType: 'application/problem+json',
  bodyOf: (error, requestId) => ({ ...problemOf(error, requestId), ...presentFailure(failureOf(error)) }),
}

/** What the OpenAPI document says beside the routes. */
export const askApiInfo: ApiInfo = {
  title: 'flowfarm query service',
  description: [
    'Questions about the Flow chain, in words or as SQL.',
    'Statements are one SELECT each, run in a transaction that can only read, and answer MAX_RESULT_ROWS rows at ' +
      'most; `truncated` tells when there are more. Numbers that JSON does not hold exactly are texts, bytes are ' +
      '`0x` and hex, times are ISO 8601 in UTC, errors are problems as in RFC 9457.',
    'A question goes to a language model with the tables, notes and examples; the statement that comes back is ' +
      'checked like any other. Without a model all else works.',
    'Where API_TOKEN is set, all calls but `/health`, the examples and this description need it as ' +
      '`Authorization: Bearer`.',
  ].join('\n\n'),
  securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'API_TOKEN, where it is set.' } },
  securityOf: ({ access }) => (access === 'none' ? [] : [{}, { token: [] }]),
  sharedErrors: {
    WrongToken: 'The token is missing or wrong.',
    WrongHost: 'Without API_TOKEN, the service was called from its own machine by the name of a site.',
    InternalError: 'Something went wrong here.',
  },
  sharedErrorsOf: ({ access }) => ({
    ...(access === 'none' ? {} : { 401: 'WrongToken', 403: 'WrongHost' }),
    500: 'InternalError',
  }),
  errorsOf: () => ({ 400: 'A parameter or a field is not valid, or not known; `field` names it.' }),
  errorForm,
}

interface AskServerOptions extends Omit<AskServices, 'needsToken'> {
  readonly log: Logger
  readonly metrics: Metrics
  /** Address to bind. */
  readonly host: string
  /** TRUSTED_PROXIES. Default: none. */
  readonly trustedProxies?: BlockList
  /** The client of a request, for the slots of its statements. Default: by `trustedProxies`. */
  readonly clientOf?: (request: IncomingMessage) => Client
  /** 0 picks a free port. */
  readonly port: number
  /** API_TOKEN; undefined: no authentication. */
  readonly token: string | undefined
  /** The page that reads `/openapi.json`. */
  readonly docs: { readonly html: string; readonly headers: Readonly<Record<string, string>> }
  /** Answers `/` and the files of the query page. Default: there is none. */
  readonly page?: Middleware
  /** How long `close` waits for running calls, ms. Default 3,000. */
  readonly closeGraceMs?: number
}

/**
 * Starts the REST API of the query service. Other origins cannot call it from a browser: it allows none, and a call
 * needs `Content-Type: application/json`, which triggers a preflight.
 * @throws the system error when the port cannot be bound
 */
export async function createAskServer(options: AskServerOptions): Promise<HttpServer> {
  const { service, history, memory, token, docs, host, page, trustedProxies = new BlockList() } = options
  const { clientOf = clientReader(trustedProxies), ...listening } = options
  const docsRoute = routesOf<AskServices>()({
    path: '/docs',
    operationId: 'getDocs',
    tag,
    summary: 'A page that shows this API',
    response: z.string(),
    contentType: 'text/html; charset=utf-8',
    handler: () => ({ body: docs.html, headers: docs.headers, caching: 'revalidate' }),
  })
  return createHttpServer<AskServices>(
    { ...listening, service: 'ask', clientOf },
    {
      routes: [...askRoutes, ...documentRoutes(() => askRoutes, askApiInfo), docsRoute],
      services: { service, history, memory, needsToken: token !== undefined },
      guards: {
        token: guard((call) => {
          if (token === undefined) refuseRebound(call.request, host, trustedProxies)
          return admitBearer(call.header('Authorization'), token)
        }),
      },
      errorFormOf: () => errorForm,
      translate: databaseAway,
      isExpected: ({ code }) => code === 'no-model',
      unknownPath: (path) => `There is nothing at ${path}; /docs lists what there is.`,
      home: '/',
      ...(page === undefined ? {} : { page }),
    },
  )
}

function databaseAway(thrown: unknown): ApiError | undefined {
  if (!(asDatabaseError(thrown) instanceof RetryableError)) return undefined
  return new ApiError(503, 'database-unavailable', 'The database does not answer at the moment; try again.', {
    cause: thrown,
    details: { retryAfterSeconds: 1 },
  })
}
