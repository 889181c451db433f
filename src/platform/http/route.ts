import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Client } from '../limits/clients.ts'
import { parseBody, parseParameters, parseQuery } from './parse-input.ts'
import type { ErrorForm } from './problem.ts'

/**
 * Route declarations. A feature declares its services and callers once, then its routes:
 *
 *     export const route = routesOf<WalletServices, { user: AuthenticatedUser }>()
 *
 *     const accounts = route({
 *       path: '/accounts/{network}', operationId: 'listAccounts', tag: 'Accounts', summary: 'Accounts of the user',
 *       access: 'user', params: z.strictObject({ network: networkParameter }), response: accountsSchema, example,
 *       handler: async ({ params, caller }, { store }) => ({ body: await store.list(caller.userId, params.network) }),
 *     })
 *
 * `createHttpServer` (server.ts) serves a list of routes; `describeApi` (openapi.ts) describes it.
 */

/** `revalidate`: by ETag before each use; `settled`, `static`: an hour. */
export type Caching = 'revalidate' | 'settled' | 'minute' | 'static' | 'never'

export interface Answer<Body> {
  /** A function writes an event stream itself and resolves when the response has ended. */
  readonly body?: Body | AnswerStream | ((response: ServerResponse) => Promise<void>)
  readonly status?: number
  readonly caching?: Caching
  readonly headers?: Readonly<Record<string, string | string[]>>
}

/** Generated while it is sent, in another media type than the route's default. */
export class AnswerStream {
  readonly contentType: string
  /** An error in it aborts the connection, since the status was sent. */
  readonly content: Readable

  constructor(contentType: string, content: Readable) {
    this.contentType = contentType
    this.content = content
  }
}

type SuccessStatus = 200 | 201 | 202 | 204 | 302 | 303

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Call {
  readonly request: IncomingMessage
  readonly requestId: string
  readonly client: Client
  readonly path: string
  /** Aborted when the client disconnects before it has its response. */
  readonly signal: AbortSignal
  readonly header: (name: string) => string
  readonly cookie: (name: string) => string | undefined
}

/** Unvalidated input of a route. */
export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: unknown
  /** Result of the guard. */
  readonly caller: unknown
  readonly call: Call
  /** Not verified. */
  readonly apiKey: string | undefined
  /** Not verified. */
  readonly bearer: string | undefined
  /** The media type preferred by `Accept`. */
  readonly mediaType: string
}

export const noParameters = z.object({})
type NoParameters = typeof noParameters

export interface RouteInput<Params extends z.ZodObject, Query extends z.ZodObject, Content extends z.ZodType, Caller> {
  readonly params: z.output<Params>
  readonly query: z.output<Query>
  /** Includes undeclared query parameters. Unvalidated. */
  readonly allParameters: URLSearchParams
  readonly body: z.output<Content>
  readonly caller: Caller
  readonly call: Call
  readonly apiKey: string | undefined
  readonly bearer: string | undefined
  readonly mediaType: string
}

export interface RouteFacts {
  /** GET handles HEAD too. */
  readonly method?: Method
  /** `{name*}` matches slashes too. */
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Guard; default `none`: public. */
  readonly access?: string
  readonly isLimited?: boolean
  /** The handler checks `X-API-Key` itself; otherwise an invalid key is refused before. */
  readonly checksKey?: boolean
  /**
   * `high`: the cost grows with history; calls share a few slots. A list: only calls with one of
   * these query parameters.
   */
  readonly cost?: 'low' | 'high' | readonly string[]
  readonly maxBodyBytes?: number
  readonly readBody?: (request: IncomingMessage, maxBytes: number, caller: unknown) => Promise<unknown>
  readonly bodyType?: string
  /** For text responses that are not JSON. */
  readonly contentType?: string
  /** Sent as `AnswerStream`, with descriptions. */
  readonly otherTypes?: Readonly<Record<string, string>>
  /** 204 has no body. */
  readonly successStatus?: SuccessStatus
  readonly errorForm?: ErrorForm
  /** Descriptions of error statuses besides 500. */
  readonly problems?: Readonly<Record<number, string>>
  /** Other statuses with the body of 200. */
  readonly alternatives?: Readonly<Record<number, string>>
  /** For text in another syntax, such as YAML. */
  readonly readsAs?: { readonly schema: z.ZodType; readonly example: unknown }
}

export interface RouteDeclaration<
  Services,
  Caller,
  Input,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Content extends z.ZodType,
> extends Omit<RouteFacts, 'access' | 'readBody'> {
  /** Values are strings before validation. */
  readonly params?: Params
  readonly query?: Query
  readonly body?: Content
  readonly bodyExample?: z.input<Content>
  /** Default: `readJson`. */
  readonly readBody?: (request: IncomingMessage, maxBytes: number, caller: Caller) => Promise<unknown>
  readonly response?: Body
  readonly example?: z.output<Body>
  readonly handler: (
    input: RouteInput<Params, Query, Content, Caller> & Input,
    services: Services,
  ) => Promise<Answer<z.output<Body>>> | Answer<z.output<Body>>
}

/** A declared route without the types of its parameters. */
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
  /** @throws ApiError 400 that names the invalid parameter or field; errors of the handler */
  readonly run: (request: RouteRequest, services: Services) => Promise<Answer<unknown>>
}

export interface RouteOptions<Services, More, Input> {
  /** `refused`: unknown query parameters are an error. */
  readonly unknownParameters?: 'ignored' | 'refused'
  readonly input?: (declaration: More, services: Services) => Input
}

/**
 * @typeParam Callers the result of each guard by name, passed to handlers as `caller`
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
            allParameters: request.query,
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

/** For a server whose other routes use other services. */
export function bindRoutes<Services>(routes: readonly Route<Services>[], services: Services): Route<unknown>[] {
  return routes.map((route) => ({ ...route, run: (request: RouteRequest) => route.run(request, services) }))
}
