import type { DatabasePool } from 'slonik'
import type { z } from 'zod'
import type { Metrics } from '../base/metrics.ts'
import type { Network } from '../chain/network.ts'
import type { PresentChain } from './chain/present-chain.ts'
import { parseParameters } from './parameters.ts'
import type { IndexingStatus } from './presenters/status.ts'

/** What handlers may lean on. */
export interface Services {
  readonly database: DatabasePool
  readonly metrics: Metrics
  /** Decides which accounts hold the core contracts. */
  readonly network: () => Network
  /** The chain as it is now. Whoever asks it says what is answered when it is silent. */
  readonly chain: PresentChain
  readonly status: (options: { includeRanges: boolean }) => Promise<IndexingStatus>
  /** Blocks above `highest stored height − maxReorgDepth` may still be replaced. */
  readonly maxReorgDepth: number
  /** The route table itself, which the API's description is made of. */
  readonly routes: readonly Route[]
}

/**
 * How long an answer may be kept by clients and proxies:
 * - `revalidate`: kept, but asked about before each use, which a matching ETag answers with 304. The default.
 * - `settled`: an hour without asking, for what lies too deep in the chain to be rolled back. Not longer, since what
 *   is derived from it may be completed later.
 * - `minute`: a minute without asking, for sums over so much of the chain that one block more changes little.
 * - `static`: an hour, for what only a new version of the program changes.
 * - `never`: for answers about this very moment.
 */
export type Caching = 'revalidate' | 'settled' | 'minute' | 'static' | 'never'

export interface Answer<Body> {
  readonly body: Body
  /** Default 200. */
  readonly status?: number
  readonly caching?: Caching
  /** Headers of this answer beside those that all have. */
  readonly headers?: Readonly<Record<string, string>>
}

/** One route: everything that the router, the validation, the API's description and the tests know of it. */
export interface RouteDeclaration<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  /** With parameters in braces, as OpenAPI writes them: `/flow/block/{height}`. */
  readonly path: string
  /** Name of the call in generated clients. */
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Values are text when they come in: take the schemas of `parameters.ts`. */
  readonly params: Params
  readonly query: Query
  readonly response: Body
  readonly example: z.output<Body>
  /** For answers that are not JSON; their body is a text. Default `application/json; charset=utf-8`. */
  readonly contentType?: string
  /** Statuses beside 200 and 500 whose body is a problem, with what they mean here. */
  readonly problems?: Readonly<Record<number, string>>
  /** Statuses beside 200 whose body is of the same form as that of 200, with what they mean here. */
  readonly alternatives?: Readonly<Record<number, string>>
  readonly handler: (
    input: { readonly params: z.output<Params>; readonly query: z.output<Query> }, services: Services,
  ) => Promise<Answer<z.output<Body>>> | Answer<z.output<Body>>
}

/** A declared route without the types of its parameters: what a table can hold. */
export interface Route extends Omit<RouteDeclaration<z.ZodObject, z.ZodObject, z.ZodType>, 'handler'> {
  readonly contentType: string
  /**
   * Checks the parameters and calls the handler.
   * @throws ApiError 400 that names the parameter at fault, and what the handler throws
   */
  readonly run: (
    params: Readonly<Record<string, string>>, query: URLSearchParams, services: Services,
  ) => Promise<Answer<unknown>>
}

/** Joins a declaration's handler to its schemas; the handler's input and answer are typed by them. */
export function defineRoute<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  declaration: RouteDeclaration<Params, Query, Body>,
): Route {
  const { handler, ...rest } = declaration
  return {
    ...rest,
    contentType: declaration.contentType ?? 'application/json; charset=utf-8',
    run: async (params, query, services) => handler(parseParameters(declaration, params, query), services),
  }
}
