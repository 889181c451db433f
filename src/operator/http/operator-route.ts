import { z } from 'zod'
import type { OperatorParts } from '../operator-parts.ts'
import { parseBody, parseQuery } from '../../platform/http/parse-input.ts'

interface RouteDeclaration<Query extends z.ZodObject, Body extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below /operator/api. */
  readonly path: string
  /** Values are text when they come in. Default: none. */
  readonly query?: Query
  /** Of routes that change something. */
  readonly body?: Body
  /** What it returns is sent as JSON; undefined: 204. */
  readonly handler: (
    input: { readonly query: z.output<Query>; readonly body: z.output<Body> },
    parts: OperatorParts,
  ) => Promise<unknown>
}

/** A declared route without the types of its input: what a table can hold. */
export interface OperatorRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** @throws ApiError 400 that names what is wrong, and what the handler throws */
  readonly run: (query: URLSearchParams, body: unknown, parts: OperatorParts) => Promise<unknown>
}

/** Joins a handler to the schemas of its input. */
export function operatorRoute<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodType = z.ZodUnknown>({
  method,
  path,
  query,
  body,
  handler,
}: RouteDeclaration<Query, Body>): OperatorRoute {
  const querySchema = z.strictObject(query?.shape ?? {})
  return {
    method,
    path,
    run: async (parameters, content, parts) =>
      handler(
        {
          query: parseQuery(querySchema, parameters) as z.output<Query>,
          body: (body === undefined ? undefined : parseBody(body, content)) as z.output<Body>,
        },
        parts,
      ),
  }
}
