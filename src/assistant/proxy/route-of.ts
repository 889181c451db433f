import { ApiError } from '../../platform/errors.ts'

/** Services behind the proxy. */
export type UpstreamName = 'chat' | 'ask' | 'mcp'

/** The address and timeout of a service. */
export interface Upstream {
  /** For messages, such as `the query service`. */
  readonly title: string
  /** Its origin; paths are passed on unchanged. */
  readonly url: URL
  /** Longest silence, ms. */
  readonly patienceMs: number
}

/** Services by the first path segment; the rest is the chat's. The API has two owners. */
const owners: ReadonlyMap<string, UpstreamName> = new Map([
  ['mcp', 'mcp'],
  ['api', 'ask'],
  ['health', 'ask'],
  ['docs', 'ask'],
  ['openapi.json', 'ask'],
  ['openapi.yaml', 'ask'],
])

/**
 * Paths that servers may read differently: empty and dot segments, backslashes, and percent-encoded slashes, dots,
 * letters and digits.
 */
const ambiguous = /\/\/|\\|#|\/\.{1,2}(?:\/|$)|%(?:2[def]|3\d|4[1-9a-f]|5[\dacf]|6[1-9a-f]|7[\dae]|[01][\da-f]|7f)/i

/** The path of a request's target, without the query. */
export function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? ''
}

/**
 * The service that answers a request. Targets that the proxy and a service could read differently are refused.
 * @param target of the request, as sent
 * @throws ApiError 400 `bad-target` for another server or no path, 400 `ambiguous-path`
 */
export function routeOf(target: string): UpstreamName {
  if (!target.startsWith('/')) {
    throw new ApiError(
      400,
      'bad-target',
      'Ask for a path of this server, such as /api/v1/ask. Requests to other servers are not passed on.',
    )
  }
  const path = pathOf(target)
  if (ambiguous.test(path)) {
    throw new ApiError(
      400,
      'ambiguous-path',
      'Write the path plainly: without // and .., and with %XX only where a character needs it.',
    )
  }
  const [, first = '', second] = path.split('/', 3)
  return first === 'api' && second === 'chat' ? 'chat' : (owners.get(first) ?? 'chat')
}
