import { isIP } from 'node:net'
import { ApiError, FatalError } from '../../../platform/errors.ts'

/** URLs are compared after parsing: a text that starts with a listed host may point anywhere. */
export class ListedHosts {
  readonly names: readonly string[]

  /** @param words `none` alone: no host @throws FatalError `bad-host` */
  constructor(words: readonly string[]) {
    this.names = words.length === 1 && words[0]?.toLowerCase() === 'none' ? [] : [...new Set(words.map(hostOf))]
  }

  /** The URL without its fragment. @throws ApiError 400 `url-refused` */
  read(text: string): URL {
    const refuse = (problem: string): never => {
      throw urlRefused(`${problem} Use https:// and one of these hosts, without a port: ${this.names.join(', ')}.`)
    }
    if (text.length > maxUrlCharacters) return refuse(`The URL is longer than ${maxUrlCharacters} characters.`)
    if (!URL.canParse(text)) return refuse('The URL is invalid.')
    const url = new URL(text)
    if (url.protocol !== 'https:') return refuse('Only https is allowed.')
    if (url.username !== '' || url.password !== '') return refuse('The URL contains credentials.')
    if (!this.names.includes(url.hostname))
      return refuse(`${url.hostname === '' ? 'A URL without a host' : url.hostname} is not allowed.`)
    if (url.port !== '') return refuse(`Port ${url.port} is not allowed.`)
    // Refuses ambiguous spellings: wide letters, percent-encoded hosts, `https:\\host`, line breaks
    // that parsers drop.
    if (writtenHost(text) !== url.hostname || /[\s\\\p{Cc}]/u.test(text))
      return refuse('The URL is ambiguous: use no white space or backslash, and plain letters in the host.')
    url.hash = ''
    return url
  }

  /** @throws ApiError 400 `url-refused` */
  readRedirect(location: string, base: URL): URL {
    if (!URL.canParse(location, base.href)) throw urlRefused(`${base.hostname} redirects to an invalid URL.`)
    const target = new URL(location, base)
    try {
      return this.read(target.href)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw urlRefused(`${base.hostname} redirects to a URL that is not allowed. ${error.message}`, error)
    }
  }
}

/** Long enough for an API call, and too short to leak a conversation. */
export const maxUrlCharacters = 2000

export function urlRefused(problem: string, cause?: unknown): ApiError {
  return new ApiError(400, 'url-refused', problem, { field: 'url', ...(cause === undefined ? {} : { cause }) })
}

function writtenHost(text: string): string | undefined {
  return /^https:\/\/([^/?#]*?)(?::443)?(?:[/?#]|$)/i.exec(text)?.[1]?.toLowerCase()
}

function hostOf(word: string): string {
  const url =
    /^[^\s/:@?#\\*%[\]]+$/.test(word) && URL.canParse(`https://${word}`) ? new URL(`https://${word}`) : undefined
  const host = url?.hostname ?? ''
  if (isIP(host) === 0 && host.includes('.') && !host.endsWith('.')) return host
  throw new FatalError(
    'bad-host',
    `FETCH_API_HOSTS has an invalid host "${word}". Use names such as api.example.com, without scheme, port, ` +
      'path or *.',
  )
}

/**
 * Refuses known writes, by which an injected instruction could leak text. Covers nodes and
 * Blockscout; the operator is responsible for other listed hosts.
 * @throws ApiError 400 `write-refused`
 */
export function refuseWrites(url: URL, method: 'GET' | 'POST', body: unknown): void {
  const segments = decoded(url.pathname)
    .toLowerCase()
    .split(/[/\\]+/)
    .filter((segment) => segment !== '')
  if (segments.some((segment) => publishing.has(segment)))
    throw refused('Publishing sources and reports is not allowed.')
  const actions = [...url.searchParams].filter(([name]) => name.toLowerCase() === 'action').map(([, action]) => action)
  if (actions.some((action) => /^(?:verify|submit|send|eth_send)/i.test(action)))
    throw refused('Publishing sources and sending transactions is not allowed.')
  if (method !== 'POST') return
  if (segments.at(-1) === 'transactions')
    throw refused('Sending transactions is not allowed. GET /v1/transactions/{id} reads one.')
  const writing = methodsOf(body).find(isWriting)
  if (writing !== undefined) throw refused(`Method ${writing.slice(0, 60)} is not read-only.`)
}

const publishing: ReadonlySet<string> = new Set(['verification', 'audit-reports'])

/** Reads batches too. Some servers ignore the case of `method`. */
function methodsOf(body: unknown): readonly string[] {
  const calls: readonly unknown[] = Array.isArray(body) ? body : [body]
  return calls
    .flatMap((call) => (typeof call === 'object' && call !== null ? Object.entries<unknown>({ ...call }) : []))
    .flatMap(([name, value]) => (name.toLowerCase() === 'method' && typeof value === 'string' ? [value] : []))
}

function isWriting(name: string): boolean {
  return (
    /(?:^|_)(?:send|sign|submit|import|unlock)/i.test(name) ||
    /^(?:admin|personal|miner|engine|wallet|clique|debug_(?!trace|get))/i.test(name)
  )
}

/** A path may be percent-encoded once per server on its way. */
function decoded(path: string): string {
  let text = path
  for (let layer = 0; layer < 3; layer++) {
    try {
      text = decodeURIComponent(text)
    } catch (error) {
      if (!(error instanceof URIError)) throw error
      break
    }
  }
  return text
}

function refused(problem: string): ApiError {
  return new ApiError(400, 'write-refused', problem)
}
