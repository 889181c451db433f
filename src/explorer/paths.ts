import type { IncomingMessage } from 'node:http'

/**
 * Clients use these forms:
 *
 * - `/chain/v1/…` and `/api/v1/chain/v1/…`, with the prefix in place of `/flow` (`/chain/v1/block`)
 * or before the whole path (`/chain/v1/flow/block`, `/chain/v1/status`);
 * - `/flow/v1/…`, `/status/v1/…` and so on, as in the Flow explorer API;
 * - aliases of that API: `/flow/address/…`, `/accounting/account/…`, `/accounting/transaction/…`
 * `/analytics/…` and `/flow/evm/address/<address>/transfer`.
 *
 * @param topLevel first segments of declared paths, which distinguish the two prefix forms
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
  if (path.startsWith('/flow/evm/address/')) return path.replace(/\/transfer$/, '/token-transfers')
  return path.startsWith('/analytics/') ? path.replace('/analytics/', '/insights/') : path
}

function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? ''
}

const prefixes = ['chain', 'api']

/** First segments of page paths that programs request: link previews, crawlers, other sites. */
const programPaths: ReadonlySet<string> = new Set([
  'docs',
  'badge',
  'embed',
  'preview',
  'robots.txt',
  'sitemap.xml',
  'favicon.ico',
  'apple-touch-icon.png',
])

/** First segments of pages of items. Programs that preview links often accept anything. */
const itemPaths: ReadonlySet<string> = new Set(['block', 'transaction', 'account', 'token', 'nft', 'contract', 'evm'])

/**
 * `/`, assets, paths for programs, pages of items unless a client accepts only other types, and, for browsers, any path
 * outside of routes and feeds.
 *
 * @param topLevel first segments of routes and feeds
 */
export function isPageRequest({ method, url = '', headers }: IncomingMessage, topLevel: ReadonlySet<string>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = url.split('?', 1)[0] ?? ''
  const [, first = ''] = path.split('/', 2)
  if (path === '/' || programPaths.has(first) || (first === 'assets' && path.startsWith('/assets/'))) return true
  if (topLevel.has(first) || prefixes.includes(first)) return false
  const { accept = '*/*' } = headers
  return accept.includes('text/html') || (itemPaths.has(first) && accept.includes('*/*'))
}
