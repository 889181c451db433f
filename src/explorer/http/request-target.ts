import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../platform/errors.ts'

/**
 * What a request asks for, as a path with its query. Everything behind this may take it apart without fear: of other
 * forms, and of fragments, the parsers of Koa and its parts throw, some of them where nobody can catch it.
 *
 * - `/path?query`: as it is, but for a fragment, which no client should send;
 * - `http://host/path`, as proxies are asked: the path of it;
 * - `OPTIONS *`, about the whole server: `/`.
 *
 * @throws ApiError 400 `bad-target`, or `bad-host` where there is more than one `Host`, of which others may take the other one
 */
export function requestTarget({ url = '', method, rawHeaders }: IncomingMessage): string {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw new ApiError(400, 'bad-host', 'A request has one Host header.')
  if (url.startsWith('/')) return url.split('#', 1)[0] ?? '/'
  if (url === '*' && method === 'OPTIONS') return '/'
  const { protocol, pathname, search } = URL.parse(url) ?? { protocol: '', pathname: '', search: '' }
  if (protocol === 'http:' || protocol === 'https:') return `${pathname}${search}`
  throw new ApiError(400, 'bad-target', 'Ask for a path that begins with a slash, or for an address of http.')
}
