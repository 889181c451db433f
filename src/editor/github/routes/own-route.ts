import type { Router } from '@koa/router'
import type { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { bearerToken } from '../../../platform/http/bearer-token.ts'
import type { RequestContext, RequestState } from '../../../platform/http/requests.ts'
import { parseBody, parseQuery } from '../../../platform/parse-input.ts'
import { readJson } from '../../../platform/read-json.ts'
import type { GitHubParts } from '../github-parts.ts'

/** A request of somebody who has signed in. */
export interface OwnRequest<Input> {
  readonly context: RequestContext & { readonly params: Readonly<Record<string, string>> }
  readonly userId: string
  readonly input: Input
}

export interface OwnRoute<Schema extends z.ZodObject> {
  readonly method: 'get' | 'post' | 'delete'
  readonly path: string
  /** Of the query where the method is not POST, else of the body. */
  readonly schema: Schema
  /** Default: `read` for GET, `write` for others. */
  readonly limit?: 'read' | 'write'
  /** Default 64 KB. */
  readonly mostBodyBytes?: number
  /** @returns the body of the answer, JSON */
  readonly run: (request: OwnRequest<z.output<Schema>>) => Promise<unknown>
}

/** Adds a route below `/github` that wants `Authorization: Bearer` with an access token. */
export function addOwnRoute<Schema extends z.ZodObject>(
  router: Router<RequestState>,
  parts: GitHubParts,
  route: OwnRoute<Schema>,
): void {
  const { method, path, schema, run, mostBodyBytes = 64 * 1024, limit = method === 'get' ? 'read' : 'write' } = route
  router[method](path, async (context) => {
    context.state.route = `/github${path.replaceAll(/[:*](\w+)/g, '{$1}')}`
    context.set('Cache-Control', 'no-store')
    const userId = await signedIn(context, parts)
    parts.limits.ofUser(userId, limit)
    const input =
      method === 'post'
        ? parseBody(schema, await readJson(context.req, mostBodyBytes))
        : parseQuery(schema, context.URL.searchParams)
    const answer = await run({ context, userId, input })
    context.status = 200
    context.type = 'application/json'
    context.body = JSON.stringify(answer)
  })
}

/** @throws ApiError 401, 429 */
async function signedIn(context: RequestContext, { limits, clientOf, authenticate }: GitHubParts): Promise<string> {
  limits.ofClient(clientOf(context.req).address, 'client')
  const token = bearerToken(context.get('Authorization'))
  if (token === undefined)
    throw new ApiError(401, 'missing-token', 'Sign in, and send the access token as `Authorization: Bearer <token>`.')
  return (await authenticate(token)).userId
}
