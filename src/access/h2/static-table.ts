import type { HeaderField } from './header-field.ts'

const withValues: readonly (readonly [name: string, value: string])[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
]

const names: readonly string[] = [
  'accept-language',
  'accept-ranges',
  'accept',
  'access-control-allow-origin',
  'age',
  'allow',
  'authorization',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'content-type',
  'cookie',
  'date',
  'etag',
  'expect',
  'expires',
  'from',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-modified',
  'link',
  'location',
  'max-forwards',
  'proxy-authenticate',
  'proxy-authorization',
  'range',
  'referer',
  'refresh',
  'retry-after',
  'server',
  'set-cookie',
  'strict-transport-security',
  'transfer-encoding',
  'user-agent',
  'vary',
  'via',
  'www-authenticate',
]

/** The headers that both sides know from the start; the first has index 1. Source: RFC 7541, appendix A. */
export const staticTable: readonly HeaderField[] = [
  ...withValues.map(([name, value]) => ({ name, value })),
  ...names.map((name) => ({ name, value: '' })),
]

/** The index of a header in the static table; of its name alone where `value` is left out. */
export function staticIndex(name: string, value?: string): number {
  const at = staticTable.findIndex((field) => field.name === name && (value === undefined || field.value === value))
  if (at < 0) throw new RangeError(`${name}: ${value ?? ''} is not in the static table`)
  return at + 1
}
