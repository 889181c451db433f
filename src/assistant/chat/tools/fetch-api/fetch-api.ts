import { tool } from 'ai'
import type { Tool, ToolSet } from 'ai'
import { z } from 'zod'
import { ApiError } from '../../../../platform/errors.ts'
import { parseExactJson } from '../../../../platform/exact-json.ts'
import type { JsonValue } from '../../../../platform/exact-json.ts'
import { parseBody } from '../../../../platform/parse-input.ts'
import { toldInput } from '../told-input.ts'
import type { ReadCadence } from './chain-fields.ts'
import { fetchListed } from './fetch-listed.ts'
import type { FetchListed } from './fetch-listed.ts'
import { ListedHosts, mostUrlCharacters } from './listed-hosts.ts'
import { publicInternet } from './outbound-network.ts'
import type { OutboundNetwork } from './outbound-network.ts'
import { presentBody } from './present-body.ts'

export interface FetchApiOptions {
  /** FETCH_API_HOSTS. */
  readonly hosts: readonly string[]
  /** Of base64 in answers of access nodes; `readJsonCdcValue`. */
  readonly readCadence: ReadCadence
  /** Default: the public internet. */
  readonly network?: OutboundNetwork
  /** For a call with all its redirects. Default 20,000 ms. */
  readonly timeoutMs?: number
}

/** What the tool `fetch_api` gives to the model and shows on the page. */
export interface FetchedApi {
  readonly status: number
  /** Where the answer is from, after redirects. */
  readonly url: string
  readonly content_type: string
  /** JSON as what it is, other texts as text; null: none. */
  readonly body: JsonValue
  readonly truncated: boolean
  /** What is left out, in words. */
  readonly note?: string
}

/** Longest body of a POST, in bytes. */
const mostBodyBytes = 64 * 1024

const schema = z.strictObject(
  {
    url: z.string('must be a text').describe(`https:// URL of a listed host, at most ${mostUrlCharacters} characters.`),
    method: z.enum(['GET', 'POST'], 'must be GET or POST').optional().describe('Default: GET.'),
    body: z.string('must be a text: the JSON as a text').optional().describe('For POST only: a JSON text.'),
  },
  'must be an object with a url',
)

type FetchApiInput = z.output<typeof schema>

/**
 * The tool `fetch_api`; no tool where no host is listed. Its failures are ApiErrors with words for the model.
 * @throws FatalError `bad-host` where FETCH_API_HOSTS names what is no host
 */
export function fetchApiTools({
  hosts: words,
  readCadence,
  network = publicInternet(),
  timeoutMs = 20_000,
}: FetchApiOptions): ToolSet {
  const hosts = new ListedHosts(words)
  if (hosts.names.length === 0) return {}
  const fetch = fetchListed({ hosts, network, timeoutMs })
  const fetchApi: Tool<unknown, FetchedApi> = tool({
    description:
      `Calls a public web API: GET or POST by https on ${hosts.names.join(', ')}, and no other host. Nothing can be signed in to, and nothing is written. ` +
      'Long JSON is shortened, and base64 of access nodes (/v1/transactions/{id}, /v1/transaction_results/{id}, accounts, events) is decoded. What it gives is data of strangers.',
    inputSchema: toldInput(schema),
    execute: async (input, { abortSignal }) =>
      callApi(parseBody(schema, input), { hosts, fetch, readCadence }, abortSignal ?? new AbortController().signal),
  })
  return { fetch_api: fetchApi }
}

interface Calling {
  readonly hosts: ListedHosts
  readonly fetch: FetchListed
  readonly readCadence: ReadCadence
}

async function callApi(
  { url, method = 'GET', body }: FetchApiInput,
  { hosts, fetch, readCadence }: Calling,
  signal: AbortSignal,
): Promise<FetchedApi> {
  const answer = await fetch({ url: hosts.read(url), method, body: readBody(method, body) }, signal)
  const { status, contentType, location } = answer
  const common = { status, url: answer.url.href, content_type: contentType.slice(0, 200) }
  if (location !== undefined)
    return { ...common, body: null, truncated: false, note: 'It leads elsewhere, where a POST is not sent.' }
  return { ...common, ...presentBody(answer, readCadence) }
}

/**
 * A body as it is sent: written anew, so that what was looked at is what a server reads, names that occur twice among it.
 * @throws ApiError 400 `invalid-field`
 */
function readBody(method: 'GET' | 'POST', body: string | undefined): string | undefined {
  // Models fill what they need not.
  if (body === undefined || (method === 'GET' && body.trim() === '')) return undefined
  if (method === 'GET') throw bodyRefused('A GET has no body; put what is asked for into the URL, or use POST.')
  const written = rewrite(body)
  if (Buffer.byteLength(written) > mostBodyBytes)
    throw bodyRefused(`The body has more than ${mostBodyBytes} bytes; ask for less at once.`)
  return written
}

function rewrite(text: string): string {
  try {
    const written = JSON.stringify(JSON.parse(text))
    if (written === JSON.stringify(parseExactJson(text))) return written
  } catch (error) {
    throw bodyRefused('The body is no JSON; send a JSON text.', error)
  }
  throw bodyRefused('The body has a number with more digits than are sent exactly; write it as a text.')
}

function bodyRefused(problem: string, cause?: unknown): ApiError {
  return new ApiError(400, 'invalid-field', problem, { field: 'body', ...(cause === undefined ? {} : { cause }) })
}
