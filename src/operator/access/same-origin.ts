import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../platform/errors.ts'

/**
 * Refuses a request that a page of another origin makes: such a page can have a browser send one, cookie and all (CSRF).
 * Browsers say where a request comes from in headers that pages cannot set; programs need not.
 * @throws ApiError 403 `other-origin`
 */
export function requireSameOrigin({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site']
  const isOtherSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  const hosts = [headers.host, headers['x-forwarded-host']]
  if (!isOtherSite && (headers.origin === undefined || isHostOf(headers.origin, hosts))) return
  throw new ApiError(
    403,
    'other-origin',
    'A page of another origin may not do this. If a proxy stands between, it must pass on the Host header.',
  )
}

function isHostOf(origin: string, hosts: readonly (string | string[] | undefined)[]): boolean {
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host !== '' && hosts.includes(host)
}
