import { ApiError } from '../../platform/errors.ts'

/** The services that stand behind the proxy. */
export type UpstreamName = 'chat' | 'ask' | 'mcp'

/** Where a service is, and how long it may take. */
export interface Upstream {
  /** As people are told of it, e.g. `the query service`. */
  readonly title: string
  /** Its origin; paths are passed on as they came. */
  readonly url: URL
  /** How long it may say nothing before it is given up, in milliseconds. */
  readonly patienceMs: number
}

/** First segments of paths that are not the chat's, with who has them. The API has two owners. */
const owners: ReadonlyMap<string, UpstreamName> = new Map([
  ['mcp', 'mcp'],
  ['api', 'ask'],
  ['health', 'ask'],
  ['docs', 'ask'],
  ['openapi.json', 'ask'],
  ['openapi.yaml', 'ask'],
])

/** What servers read in more than one way: empty and dot segments, and slashes, dots, letters and digits that are written as `%XX`. */
const ambiguous = /\/\/|\\|#|\/\.{1,2}(?:\/|$)|%(?:2[def]|3\d|4[1-9a-f]|5[\dacf]|6[1-9a-f]|7[\dae]|[01][\da-f]|7f)/i

/** The path of a request's target, without the query. */
export function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? ''
}

/**
 * Who answers a request. What the proxy and a service could read differently is refused, so that nothing is passed on as something that
 * it was not taken for.
 * @param target of the request, as it was sent
 * @throws ApiError 400 `bad-target` for what names another server or none of our paths, 400 `ambiguous-path`
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
