import type { IncomingMessage } from 'node:http'

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
