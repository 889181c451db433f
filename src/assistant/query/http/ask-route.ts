import { z } from 'zod'
import { parseBody, parseQuery } from '../../../platform/http/parse-input.ts'
import type { AgentMemory } from '../agent-memory.ts'
import type { QueryHistory } from '../query-history.ts'
import type { QueryService } from '../query-service.ts'
import { parsePath } from './inputs.ts'

/** What handlers lean on. */
export interface AskParts {
  readonly service: QueryService
  readonly history: QueryHistory
  readonly memory: AgentMemory
  /** Whether API_TOKEN is set. */
  readonly needsToken: boolean
}

/** What comes in with a call, as it came. */
export interface AskRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Undefined for routes that take no body. */
  readonly body: unknown
  /** Whose history is read and written. */
  readonly owner: string
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
  /** Network address of the client. */
  readonly client: string
}

/** What a handler answers beside JSON with the status of the route. */
export interface AskAnswer<Body> {
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

interface Input<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  readonly params: z.output<Params>
  readonly query: z.output<Query>
  readonly body: z.output<Body>
  readonly owner: string
  readonly signal: AbortSignal
  readonly client: string
}

interface RouteDeclaration<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string
  /** Name of the call in generated clients. */
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** `open`: without a token even where API_TOKEN is set. Default `token`. */
  readonly access?: 'token' | 'open'
  /** Values are text when they come in. Default: none. */
  readonly params?: Params
  readonly query?: Query
  /** JSON. Default: none is read. */
  readonly body?: Body
  readonly bodyExample?: z.input<Body>
  readonly response: Answer
  readonly example: z.output<Answer>
  /** Default JSON; of other types the body is a text. */
  readonly contentType?: string
  /** 204 has no body. Default 200. */
  readonly successStatus?: 200 | 201 | 204
  /** Statuses whose body is a problem, with what they mean here. */
  readonly problems?: Readonly<Record<number, string>>
  readonly handler: (
    input: Input<Params, Query, Body>,
    parts: AskParts,
  ) => Promise<AskAnswer<z.output<Answer>>> | AskAnswer<z.output<Answer>>
}

/** A declared route without the types of its input: what a table can hold, and its description is made of. */
export interface AskRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description: string | undefined
  readonly access: 'token' | 'open'
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  readonly body: z.ZodType | undefined
  readonly bodyExample: unknown
  readonly response: z.ZodType
  readonly example: unknown
  readonly contentType: string
  readonly successStatus: 200 | 201 | 204
  readonly problems: Readonly<Record<number, string>>
  /** @throws ApiError 400 that names the parameter or field at fault, and what the handler throws */
  readonly run: (request: AskRequest, parts: AskParts) => Promise<AskAnswer<unknown>>
}

const nothing = z.strictObject({})

/** Joins a handler to the schemas of its input and of its answer. */
export function askRoute<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodUnknown,
  Answer extends z.ZodType = z.ZodUnknown,
>(declaration: RouteDeclaration<Params, Query, Body, Answer>): AskRoute {
  const { handler, method, path, operationId, tag, summary, response, example } = declaration
  const params = z.strictObject((declaration.params ?? nothing).shape)
  const query = z.strictObject((declaration.query ?? nothing).shape)
  return {
    method,
    path,
    operationId,
    tag,
    summary,
    response,
    example,
    params,
    query,
    description: declaration.description,
    access: declaration.access ?? 'token',
    body: declaration.body,
    bodyExample: declaration.bodyExample,
    contentType: declaration.contentType ?? 'application/json',
    successStatus: declaration.successStatus ?? 200,
    problems: declaration.problems ?? {},
    run: async (request, parts) =>
      handler(
        {
          params: parsePath(params, request.params) as z.output<Params>,
          query: parseQuery(query, request.query) as z.output<Query>,
          body: (declaration.body === undefined
            ? undefined
            : parseBody(declaration.body, request.body)) as z.output<Body>,
          owner: request.owner,
          signal: request.signal,
          client: request.client,
        },
        parts,
      ),
  }
}
