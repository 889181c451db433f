import { isIP } from 'node:net'
import { ApiError, FatalError } from '../../../platform/errors.ts'

/**
 * The hosts that may be called, and the addresses of theirs that may: compared as they were parsed, never as text, since a text that begins
 * with a host of the list may lead anywhere.
 */
export class ListedHosts {
  readonly names: readonly string[]

  /** @param words `none` alone: no host. @throws FatalError `bad-host` for a word that is no name of a host */
  constructor(words: readonly string[]) {
    this.names = words.length === 1 && words[0]?.toLowerCase() === 'none' ? [] : [...new Set(words.map(hostOf))]
  }

  /**
   * The URL, without its fragment.
   * @throws ApiError 400 `url-refused`, which says what may be called
   */
  read(text: string): URL {
    const refuse = (problem: string): never => {
      throw urlRefused(`${problem} Call https:// and one of these hosts, without a port: ${this.names.join(', ')}.`)
    }
    if (text.length > mostUrlCharacters) return refuse(`The URL has more than ${mostUrlCharacters} characters.`)
    if (!URL.canParse(text)) return refuse('The URL cannot be read.')
    const url = new URL(text)
    if (url.protocol !== 'https:') return refuse('Only https is called.')
    if (url.username !== '' || url.password !== '') return refuse('The URL holds a name or a password.')
    if (!this.names.includes(url.hostname))
      return refuse(`${url.hostname === '' ? 'A URL without a host' : url.hostname} may not be called.`)
    if (url.port !== '') return refuse(`Port ${url.port} may not be called.`)
    // What reads as another host than it is, is not called: wide letters, a host in percents, `https:\\host`, line breaks that parsers drop.
    if (writtenHost(text) !== url.hostname || /[\s\\\p{Cc}]/u.test(text))
      return refuse('The URL is not written as one: no white space, no backslash, the host in plain letters.')
    url.hash = ''
    return url
  }

  /** The same for where an answer leads; `base` is what answered. @throws ApiError 400 `url-refused` */
  readRedirect(location: string, base: URL): URL {
    if (!URL.canParse(location, base.href)) throw urlRefused(`${base.hostname} leads to what is no URL.`)
    const target = new URL(location, base)
    try {
      return this.read(target.href)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw urlRefused(`${base.hostname} leads elsewhere, where it is not followed. ${error.message}`, error)
    }
  }
}

/** Longest URL: room for a question to an API, and not for a conversation. */
export const mostUrlCharacters = 2000

export function urlRefused(problem: string, cause?: unknown): ApiError {
  return new ApiError(400, 'url-refused', problem, { field: 'url', ...(cause === undefined ? {} : { cause }) })
}

/** Between `https://` and what ends it, as it is written; port 443 may stand there. */
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
    `FETCH_API_HOSTS must be names of hosts such as api.example.com, without scheme, port, path or *, not "${word}".`,
  )
}

/**
 * The chat reads. What is known to send something to a chain, or to publish something at an explorer, is not called, whoever has talked the
 * model into it: a transaction that is signed already, and the source of a contract, into which anything may be written for all to see.
 * This knows the interfaces of nodes and of Blockscout; what else a host does with a request is for whoever lists it to know.
 * @throws ApiError 400 `write-refused`
 */
export function refuseWrites(url: URL, method: 'GET' | 'POST', body: unknown): void {
  const segments = decoded(url.pathname)
    .toLowerCase()
    .split(/[/\\]+/)
    .filter((segment) => segment !== '')
  if (segments.some((segment) => publishing.has(segment)))
    throw refused('Publishing sources and reports is not for the chat.')
  const actions = [...url.searchParams].filter(([name]) => name.toLowerCase() === 'action').map(([, action]) => action)
  if (actions.some((action) => /^(?:verify|submit|send|eth_send)/i.test(action)))
    throw refused('Publishing sources and sending transactions is not for the chat.')
  if (method !== 'POST') return
  if (segments.at(-1) === 'transactions')
    throw refused('Sending transactions is not for the chat; GET /v1/transactions/{id} reads one.')
  const writing = methodsOf(body).find(isWriting)
  if (writing !== undefined) throw refused(`The method ${writing.slice(0, 60)} does more than read.`)
}

const publishing: ReadonlySet<string> = new Set(['verification', 'audit-reports'])

/** Of JSON-RPC, in a batch as well. Some servers take names in any case, so all that could be meant are looked at. */
function methodsOf(body: unknown): readonly string[] {
  const calls: readonly unknown[] = Array.isArray(body) ? body : [body]
  return calls
    .flatMap((call) => (typeof call === 'object' && call !== null ? Object.entries<unknown>({ ...call }) : []))
    .flatMap(([name, value]) => (name.toLowerCase() === 'method' && typeof value === 'string' ? [value] : []))
}

/** Of transactions and signatures, and of the modules by which a node is run. */
function isWriting(name: string): boolean {
  return (
    /(?:^|_)(?:send|sign|submit|import|unlock)/i.test(name) ||
    /^(?:admin|personal|miner|engine|wallet|clique|debug_(?!trace|get))/i.test(name)
  )
}

/** A path may hide its letters in percents, once for each server that it passes. */
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
