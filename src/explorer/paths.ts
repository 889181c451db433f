import type { IncomingMessage } from 'node:http'
/**
 * The path under which a route is declared, for one of the forms in which clients ask for it:
 *
 * - `/chain/v1/…` and `/api/v1/chain/v1/…`, in both readings of "under the prefix": in place of the leading `/flow`
 *   (`/chain/v1/block`) and before the whole path (`/chain/v1/flow/block`, `/chain/v1/status`);
 * - `/flow/v1/…`, `/status/v1/…` and so on, as clients of the Flow explorer API write them;
 * - the second names that some routes have there: `/flow/address/…` of `/flow/account/…`, `/accounting/account/…` and
 *   `/accounting/transaction/…` of those below `/flow`, `/analytics/…` of `/insights/…`.
 *
 * @param topLevel first segments of the declared paths: they tell the two readings apart
 */
export function declaredPath(path: string, topLevel: ReadonlySet<string>): string {
  return withFirstName(withoutPrefix(path, topLevel))
}

function withoutPrefix(path: string, topLevel: ReadonlySet<string>): string {
  const prefixed = /^(?:\/api\/v1)?\/chain\/v1(\/.*)$/.exec(path)?.[1]
  if (prefixed !== undefined) {
    const plain = withoutVersion(prefixed)
    return topLevel.has(firstSegment(withFirstName(plain))) ? plain : `/flow${plain}`
  }
  return withoutVersion(path)
}

/** First segments of a set of declared paths. */
export function topLevelSegments(paths: Iterable<string>): Set<string> {
  return new Set([...paths].map(firstSegment))
}

function withoutVersion(path: string): string {
  return path.replace(/^(?:\/api\/v1(?=\/flow\/v1\/))?\/(flow|status|staking|defi|accounting)\/v1\//, '/$1/')
}

function withFirstName(path: string): string {
  if (path.startsWith('/flow/address/')) return path.replace('/flow/address/', '/flow/account/')
  if (path.startsWith('/accounting/')) {
    return path
      .replace(/^\/accounting\/(?:account|address)(?=\/|$)/, '/flow/account')
      .replace(/^\/accounting\/transaction(?=\/|$)/, '/flow/transaction')
  }
  return path.startsWith('/analytics/') ? path.replace('/analytics/', '/insights/') : path
}

function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? ''
}

/** Paths of the API that are no declared route by themselves: what is below them is read as if it were not. */
const prefixes = ['chain', 'api']

/**
 * Whether a request is for the explorer page and not for the API: for the start, a file of the page, or, by a browser,
 * for any path that no route and no feed is at or below. Whatever else asks for such a path is told by the API that
 * there is nothing.
 * @param topLevel first segments of the routes and feeds
 */
export function isPageRequest({ method, url = '', headers }: IncomingMessage, topLevel: ReadonlySet<string>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = url.split('?', 1)[0] ?? ''
  const [, first = ''] = path.split('/', 2)
  if (path === '/' || (first === 'assets' && path.startsWith('/assets/'))) return true
  if (topLevel.has(first) || prefixes.includes(first)) return false
  return headers.accept?.includes('text/html') === true
}
