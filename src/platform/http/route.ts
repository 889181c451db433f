import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Client } from '../limits/clients.ts'
import { parseBody, parseParameters, parseQuery } from './parse-input.ts'
import type { ErrorForm } from './problem.ts'

/**
 * The declaration of an HTTP route. A feature names once what its handlers use and who may call, then declares routes:
 *
 *     export const route = routesOf<WalletServices, { user: AuthenticatedUser }>()
 *
 *     const accounts = route({
 *       path: '/accounts/{network}', operationId: 'listAccounts', tag: 'Accounts', summary: 'Accounts of the user',
 *       access: 'user', params: z.strictObject({ network: networkParameter }), response: accountsSchema, example,
 *       handler: async ({ params, caller }, { store }) => ({ body: await store.list(caller.userId, params.network) }),
 *     })
 *
 * `createHttpServer` (server.ts) serves a table of routes: it runs the guard named by `access`, checks parameters and
 * body by their schemas, and sends what the handler returns. `describeApi` (openapi.ts) describes the same table.
 */

/**
 * How long a response may be cached by clients and proxies:
 * - `revalidate`: cached, but checked before each use, which a matching ETag answers with 304;
 * - `settled`, `static`: an hour;
 * - `minute`: a minute;
 * - `never`: not at all.
 */
export type Caching = 'revalidate' | 'settled' | 'minute' | 'static' | 'never'

export interface Answer<Body> {
  /** A function writes the response by itself, for streams of events; it resolves when the response has ended. */
  readonly body?: Body | AnswerStream | ((response: ServerResponse) => Promise<void>)
  /** Default: `successStatus` of the route. */
  readonly status?: number
  /** Default: that of the server. */
  readonly caching?: Caching
  readonly headers?: Readonly<Record<string, string | string[]>>
}

/** A body that is made while it is sent, in another form than the route's usual one. */
export class AnswerStream {
  /** With its charset, as the header has it. */
  readonly contentType: string
  /** Is destroyed when the client leaves. An error in it breaks the connection, since the status has been sent. */
  readonly content: Readable

  constructor(contentType: string, content: Readable) {
    this.contentType = contentType
    this.content = content
  }
}

type SuccessStatus = 200 | 201 | 202 | 204 | 302 | 303

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A request as guards and handlers see it, beside its parameters and body. */
export interface Call {
  readonly request: IncomingMessage
  readonly requestId: string
  readonly client: Client
  /** As the client sent it. */
  readonly path: string
  /** Aborted when the client leaves before it has its response. */
  readonly signal: AbortSignal
  /** '' without the header. */
  header(name: string): string
  cookie(name: string): string | undefined
}

/** Input of a route before it is checked. */
export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Undefined for routes that take no body. */
  readonly body: unknown
  /** What the guard of the route returned. */
  readonly caller: unknown
  readonly call: Call
  /** `X-API-Key`, not checked. */
  readonly apiKey: string | undefined
  /** `Authorization: Bearer`, not checked. */
  readonly bearer: string | undefined
  /**
   * Of the route's media types the one that the client prefers by its `Accept`; the first where it has no preference.
   */
  readonly mediaType: string
}

export const noParameters = z.object({})
type NoParameters = typeof noParameters

/** What a handler is given: the input, checked. */
export interface RouteInput<Params extends z.ZodObject, Query extends z.ZodObject, Content extends z.ZodType, Caller> {
  readonly params: z.output<Params>
  readonly query: z.output<Query>
  readonly body: z.output<Content>
  readonly caller: Caller
  readonly call: Call
  readonly apiKey: string | undefined
  readonly bearer: string | undefined
  readonly mediaType: string
}

/** Everything about a route that the router, the description and the tests read. */
export interface RouteFacts {
  /** Default GET, which answers HEAD too. */
  readonly method?: Method
  /** With parameters in braces, as OpenAPI writes them: `/flow/block/{height}`; `{name*}` takes slashes too. */
  readonly path: string
  /** Name of the call in generated clients. */
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** The guard that decides who may call. Default `none`: everybody. */
  readonly access?: string
  /** False: calls do not count for the rate limit. Default true. */
  readonly isLimited?: boolean
  /** True: the handler checks `X-API-Key` itself. Default false: a wrong one is refused before. */
  readonly checksKey?: boolean
  /**
   * `high`: its cost grows with history; calls share few slots, so that they leave the database to others.
   * A list: calls with one of these query parameters are. Default `low`.
   */
  readonly cost?: 'low' | 'high' | readonly string[]
  /** Default 64 KiB. */
  readonly maxBodyBytes?: number
  /** Reads the body. Default: JSON. */
  readonly readBody?: (request: IncomingMessage, maxBytes: number) => Promise<unknown>
  /** Of the request body. Default `application/json`. */
  readonly bodyType?: string
  /** For answers that are not JSON; their body is a text. Default `application/json; charset=utf-8`. */
  readonly contentType?: string
  /** Other media types that it answers with an `AnswerStream`, with what they hold. */
  readonly otherTypes?: Readonly<Record<string, string>>
  /** Status of a good answer. 204 has no body. Default 200. */
  readonly successStatus?: SuccessStatus
  /** Default `problemForm`. */
  readonly errorForm?: ErrorForm
  /** Statuses beside 200 and 500 whose body is an error, with what they mean here. */
  readonly problems?: Readonly<Record<number, string>>
  /** Statuses beside 200 whose body is of the same form as that of 200, with what they mean here. */
  readonly alternatives?: Readonly<Record<number, string>>
  /**
   * For text that stands for something else, as YAML does: the schema and example of the description. Default:
   * `response`.
   */
  readonly readsAs?: { readonly schema: z.ZodType; readonly example: unknown }
}

/** One route: everything that the router, the validation, the API's description and the tests know of it. */
export interface RouteDeclaration<
  Services,
  Caller,
  Input,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Content extends z.ZodType,
> extends Omit<RouteFacts, 'access'> {
  /** Values are text when they come in. Default: none. */
  readonly params?: Params
  readonly query?: Query
  /** Schema of the body. Default: none is read. */
  readonly body?: Content
  readonly bodyExample?: z.input<Content>
  readonly response?: Body
  readonly example?: z.output<Body>
  readonly handler: (
    input: RouteInput<Params, Query, Content, Caller> & Input,
    services: Services,
  ) => Promise<Answer<z.output<Body>>> | Answer<z.output<Body>>
}

/** A declared route without the types of its parameters: what a table can hold. */
export interface Route<Services = never> extends RouteFacts {
  readonly method: Method
  readonly access: string
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  readonly body?: z.ZodType
  readonly bodyExample?: unknown
  readonly response: z.ZodType
  readonly example?: unknown
  readonly successStatus: SuccessStatus
  readonly isLimited: boolean
  readonly contentType: string
  /**
   * Checks parameters and body and calls the handler.
   * @throws ApiError 400 that names the parameter or field at fault, and what the handler throws
   */
  readonly run: (request: RouteRequest, services: Services) => Promise<Answer<unknown>>
}

export interface RouteOptions<Services, More, Input> {
  /** `refused`: unknown query parameters are an error. Default `ignored`: clients send some of their own. */
  readonly unknownParameters?: 'ignored' | 'refused'
  /** What handlers are given beside the usual input, made of the declaration. */
  readonly input?: (declaration: More, services: Services) => Input
}

/**
 * Makes the function by which a feature declares its routes.
 * @typeParam Services what handlers use
 * @typeParam Callers by the name of each guard, what it returns, which handlers get as `caller`
 * @typeParam More further properties of a declaration, for `options.input`
 */
export function routesOf<
  Services,
  Callers extends object = object,
  More extends object = object,
  Input extends object = object,
>(options: RouteOptions<Services, More, Input> = {}) {
  return <
    Params extends z.ZodObject = NoParameters,
    Query extends z.ZodObject = NoParameters,
    Body extends z.ZodType = z.ZodUnknown,
    Content extends z.ZodType = z.ZodUndefined,
    Access extends 'none' | (keyof Callers & string) = 'none',
  >(
    declaration: RouteDeclaration<
      Services,
      Access extends keyof Callers ? Callers[Access] : undefined,
      Input,
      Params,
      Query,
      Body,
      Content
    > & { readonly access?: Access } & More,
  ): Route<Services> => {
    type Caller = Access extends keyof Callers ? Callers[Access] : undefined
    const { handler, ...rest } = declaration
    const isStrict = options.unknownParameters === 'refused'
    const params = (declaration.params ?? noParameters) as Params
    const query = (isStrict ? z.strictObject((declaration.query ?? noParameters).shape) : declaration.query) as
      | Query
      | undefined
    return {
      ...(rest as RouteFacts),
      ...(declaration.body === undefined ? {} : { body: declaration.body, bodyExample: declaration.bodyExample }),
      ...(declaration.example === undefined ? {} : { example: declaration.example }),
      params,
      query: query ?? noParameters,
      response: declaration.response ?? z.unknown(),
      method: declaration.method ?? 'GET',
      access: declaration.access ?? 'none',
      isLimited: declaration.isLimited ?? true,
      successStatus: declaration.successStatus ?? 200,
      contentType: declaration.contentType ?? 'application/json; charset=utf-8',
      run: async (request, services) => {
        const checked = isStrict
          ? {
              params: parseQuery(params, new URLSearchParams({ ...request.params })),
              query: parseQuery(query as Query, request.query),
            }
          : parseParameters({ params, query: (query ?? noParameters) as Query }, request.params, request.query)
        return handler(
          {
            ...(options.input?.(declaration, services) as Input),
            ...checked,
            body: (declaration.body === undefined
              ? undefined
              : parseBody(declaration.body, request.body)) as z.output<Content>,
            caller: request.caller as Caller,
            call: request.call,
            apiKey: request.apiKey,
            bearer: request.bearer,
            mediaType: request.mediaType,
          },
          services,
        )
      },
    }
  }
}

/** Routes with their services, for a server whose other routes use other services. */
export function bindRoutes<Services>(routes: readonly Route<Services>[], services: Services): Route<unknown>[] {
  return routes.map((route) => ({ ...route, run: (request: RouteRequest) => route.run(request, services) }))
}
