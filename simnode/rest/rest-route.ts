import type { RestCalls } from './rest-calls.ts'

/** A request as a route needs it. */
export interface RestRequest {
  /** What stands in the path for each `{name}` of the route's. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Of a POST, whatever JSON it is. */
  readonly body: unknown
}

/** How one path is answered. */
export interface RestRoute {
  readonly method: 'GET' | 'POST'
  /** E.g. `/v1/blocks/{id}`. */
  readonly path: string
  /** @returns what is sent as JSON @throws ApiError, Refusal */
  answer(calls: RestCalls, request: RestRequest): Promise<unknown>
}

/** What stands in a path for each `{name}` of a route's; undefined where it is no path of the route. */
export function paramsOf(route: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [route.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? ''
    if (part.startsWith('{')) params[part.slice(1, -1)] = value
    else if (part !== value) return undefined
  }
  return params
}
