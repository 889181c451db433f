import type { DatabasePool } from 'slonik'
import type { z } from 'zod'
import type { Accounts } from '../platform/auth/accounts.ts'
import type { DeveloperKeys } from '../platform/auth/developer-keys.ts'
import type { DerivingWorkerName } from '../../jobs/worker-names.ts'
import type { Metrics } from '../platform/metrics.ts'
import { parseBody } from '../platform/parse-input.ts'
import type { Network } from '../flow/network.ts'
import type { WebhookStores } from '../webhooks/webhook-stores.ts'
import type { AnswerStream } from './http/answer-stream.ts'
import type { PresentChain } from './present-chain.ts'
import type { Health, StatusReader } from './status/queries.ts'
import type { AdminOperations } from './admin/operations.ts'
import type { CsvLimits } from './accounts/tax-report.ts'
import { cachingAt } from './paging/bounds.ts'
import { parseParameters } from './parameters.ts'

/** What handlers may lean on. */
export interface Services {
  readonly database: DatabasePool
  readonly metrics: Metrics
  /** Decides which accounts hold the core contracts. */
  readonly network: () => Network
  /** The chain as it is now. Whoever asks it says what is answered when it is silent. */
  readonly chain: PresentChain
  /** Whether the database answered when it was checked last. */
  readonly health: () => Health
  readonly status: StatusReader
  /** Blocks above `highest stored height − maxReorgDepth` may still be replaced. */
  readonly maxReorgDepth: number
  readonly csvLimits: CsvLimits
  /** Undefined: developer keys are not known here. */
  readonly keys: DeveloperKeys | undefined
  /** Undefined: people and their keys are not known here. */
  readonly accounts: Accounts | undefined
  /** Undefined: nothing can be administrated from here. */
  readonly admin: AdminOperations | undefined
  /** Undefined: webhooks are not managed here. */
  readonly webhooks: WebhookStores | undefined
  /** The route table itself, which the API's description is made of. */
  readonly routes: readonly Route[]
}

/**
 * How long an answer may be kept by clients and proxies:
 * - `revalidate`: kept, but asked about before each use, which a matching ETag answers with 304. The default.
 * - `settled`: an hour without asking, for what lies too deep in the chain to be rolled back and is derived by all workers that the
 *   answer uses; see `RouteInput.cachingAt`. Not longer, since it may be derived again.
 * - `minute`: a minute without asking, for sums over so much of the chain that one block more changes little.
 * - `static`: an hour, for what only a new version of the program changes.
 * - `never`: for answers about this very moment.
 */
export type Caching = 'revalidate' | 'settled' | 'minute' | 'static' | 'never'

export interface Answer<Body> {
  readonly body: Body | AnswerStream
  /** Default 200. */
  readonly status?: number
  readonly caching?: Caching
  /** Headers of this answer beside those that all have. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Access = 'none' | 'owner' | 'admin'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What comes in with a call, as it came. */
export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Undefined for routes that take no body. */
  readonly body: unknown
  /** `X-API-Key`, not checked. */
  readonly apiKey: string | undefined
  /** What comes as `Authorization: Bearer`, not checked. */
  readonly bearer: string | undefined
  /** Of the route's media types the one that the client likes best by its `Accept`; the first where it does not say. */
  readonly mediaType: string
}

/** What a handler is given: what came in, checked. */
export interface RouteInput<Params extends z.ZodObject, Query extends z.ZodObject, Content extends z.ZodType> {
  readonly params: z.output<Params>
  readonly query: z.output<Query>
  readonly body: z.output<Content>
  readonly apiKey: string | undefined
  readonly bearer: string | undefined
  readonly mediaType: string
  /**
   * How long an answer about a height may be kept. To be asked before the rows of the answer are read: what is derived after that
   * makes no answer settled that does not have it.
   */
  readonly cachingAt: (height: number) => Promise<'settled' | 'revalidate'>
}

/** One route: everything that the router, the validation, the API's description and the tests know of it. */
export interface RouteDeclaration<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Content extends z.ZodType = z.ZodUndefined,
> {
  /** Default GET, which answers HEAD too. */
  readonly method?: Method
  /** With parameters in braces, as OpenAPI writes them: `/flow/block/{height}`. */
  readonly path: string
  /** Name of the call in generated clients. */
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /**
   * - `admin`: only who shows ADMIN_TOKEN or the JWT of an administrator, as `Authorization: Bearer`;
   * - `owner`: only who shows a developer key or the JWT of an account, which the handler looks at.
   *
   * Default `none`.
   */
  readonly access?: Access
  /** False: calls do not count for the rate limit. For fixed paths whose answers cost nothing. Default true. */
  readonly isLimited?: boolean
  /**
   * `high`: its cost grows with history. Calls share few slots (`CallSlots`), so that they leave the database to others.
   * A list: calls with one of these query parameters are. Default `low`.
   */
  readonly cost?: 'low' | 'high' | readonly string[]
  /** True: the handler looks at `X-API-Key` itself. Default false: a wrong one is refused before. */
  readonly checksKey?: boolean
  /** Schema of the body, which is JSON. Default: none is read. */
  readonly body?: Content
  readonly bodyExample?: z.input<Content>
  /** Values are text when they come in: take the schemas of `parameters.ts`. */
  readonly params: Params
  readonly query: Query
  readonly response: Body
  readonly example: z.output<Body>
  /** For text that stands for something else, as YAML does: what the description says of the answer. Default: `response`. */
  readonly readsAs?: { readonly schema: z.ZodType; readonly example: unknown }
  /** For answers that are not JSON; their body is a text. Default `application/json; charset=utf-8`. */
  readonly contentType?: string
  /** Media types in which it answers too, as an `AnswerStream`, with what they hold. */
  readonly otherTypes?: Readonly<Record<string, string>>
  /** Status of a good answer. 204 has no body: its schema is that of an empty text. Default 200. */
  readonly successStatus?: 200 | 201 | 204
  /** `message`: errors are JSON with the text in `error`, for clients that read no problems. Default `problem`. */
  readonly errorForm?: 'problem' | 'message'
  /** Statuses beside 200 and 500 whose body is a problem, with what they mean here. */
  readonly problems?: Readonly<Record<number, string>>
  /** Statuses beside 200 whose body is of the same form as that of 200, with what they mean here. */
  readonly alternatives?: Readonly<Record<number, string>>
  /** Workers whose tables an answer about a height uses: it is settled only when all of them have derived the height. Default: none. */
  readonly derivedBy?: readonly DerivingWorkerName[]
  readonly handler: (
    input: RouteInput<Params, Query, Content>,
    services: Services,
  ) => Promise<Answer<z.output<Body>>> | Answer<z.output<Body>>
}

/** A declared route without the types of its parameters: what a table can hold. */
export interface Route extends Omit<RouteDeclaration<z.ZodObject, z.ZodObject, z.ZodType, z.ZodType>, 'handler'> {
  readonly method: Method
  readonly access: Access
  readonly successStatus: 200 | 201 | 204
  readonly isLimited: boolean
  readonly contentType: string
  /**
   * Checks parameters and body and calls the handler.
   * @throws ApiError 400 that names the parameter or field at fault, and what the handler throws
   */
  readonly run: (request: RouteRequest, services: Services) => Promise<Answer<unknown>>
}

/** Joins a declaration's handler to its schemas; the handler's input and answer are typed by them. */
export function defineRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Content extends z.ZodType = z.ZodUndefined,
>(declaration: RouteDeclaration<Params, Query, Body, Content>): Route {
  const { handler, ...rest } = declaration
  return {
    ...rest,
    method: declaration.method ?? 'GET',
    access: declaration.access ?? 'none',
    isLimited: declaration.isLimited ?? true,
    successStatus: declaration.successStatus ?? 200,
    contentType: declaration.contentType ?? 'application/json; charset=utf-8',
    run: async (request, services) =>
      handler(
        {
          ...parseParameters(declaration, request.params, request.query),
          body: (declaration.body === undefined
            ? undefined
            : parseBody(declaration.body, request.body)) as z.output<Content>,
          apiKey: request.apiKey,
          bearer: request.bearer,
          mediaType: request.mediaType,
          cachingAt: (height) => cachingAt(services, height, declaration.derivedBy ?? []),
        },
        services,
      ),
  }
}
