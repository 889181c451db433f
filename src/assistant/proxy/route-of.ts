import { ApiError } from '../../platform/errors.ts'

export type UpstreamName = 'chat' | 'ask' | 'mcp'

export interface Upstream {
  readonly title: string
  readonly url: URL
  readonly timeoutMs: number
}

/** By first path segment; all others go to the chat. `/api` has two owners. */
const owners: ReadonlyMap<string, UpstreamName> = new Map([
  ['mcp', 'mcp'],
  ['api', 'ask'],
  ['health', 'ask'],
  ['docs', 'ask'],
  ['dashboards', 'ask'],
  ['d', 'ask'],
  ['openapi.json', 'ask'],
  ['openapi.yaml', 'ask'],
])

/** Paths that servers may parse differently. */
const ambiguous = /\/\/|\\|#|\/\.{1,2}(?:\/|$)|%(?:2[def]|3\d|4[1-9a-f]|5[\dacf]|6[1-9a-f]|7[\dae]|[01][\da-f]|7f)/i

export function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? ''
}

/** @throws ApiError 400 `bad-target` for another server or no path, 400 `ambiguous-path` */
export function routeOf(target: string): UpstreamName {
  if (!target.startsWith('/')) {
    throw new ApiError(
      400,
      'bad-target',
      'Invalid request target: it must be a path on this server, such as /api/v1/ask.',
    )
  }
  const path = pathOf(target)
  if (ambiguous.test(path)) {
    throw new ApiError(
      400,
      'ambiguous-path',
      'Ambiguous path: remove // and .., and percent-encode only reserved characters.',
    )
  }
  const [, first = '', second] = path.split('/', 3)
  if (first === 'api' && second === 'chat') return 'chat'
  // Files of the page at /docs.
  if (first === 'assets' && second === 'ask') return 'ask'
  return owners.get(first) ?? 'chat'
}
