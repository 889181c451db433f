import { tool } from 'ai'
import type { Tool, ToolSet } from 'ai'
import pLimit from 'p-limit'
import { z } from 'zod'
import { untilAborted } from '../../../platform/signals.ts'
import { ApiError, asError } from '../../../platform/errors.ts'
import { parseExactJson } from '../../../platform/exact-json.ts'
import type { JsonValue } from '../../../platform/exact-json.ts'
import { resolveHost, resolveTarget, TargetRefused } from '../../../platform/outbound/resolve-target.ts'
import type { ResolveHost } from '../../../platform/outbound/resolve-target.ts'
import { targetPolicy } from '../../../platform/outbound/target-policy.ts'
import type { TargetPolicy } from '../../../platform/outbound/target-policy.ts'
import { parseBody } from '../../../platform/http/parse-input.ts'
import { ListedHosts, maxUrlCharacters, refuseWrites, urlRefused } from './listed-hosts.ts'
import { presentBody } from './present-body.ts'
import type { ReadCadence } from './present-body.ts'
import { sendRequest } from './send-request.ts'
import type { RawAnswer } from './send-request.ts'
import { toolInputSchema } from './tool-input-schema.ts'

export interface FetchApiOptions {
  readonly hosts: readonly string[]
  readonly readCadence: ReadCadence
  readonly network?: OutboundNetwork
  readonly timeoutMs?: number
}

export interface FetchedApi {
  readonly status: number
  readonly url: string
  readonly content_type: string
  readonly body: JsonValue
  readonly truncated: boolean
  readonly note?: string
}

const maxBodyBytes = 64 * 1024

const schema = z.strictObject(
  {
    url: z
      .string('must be a string')
      .describe(`https:// URL of a listed host, at most ${maxUrlCharacters} characters.`),
    method: z.enum(['GET', 'POST'], 'must be GET or POST').optional().describe('Default: GET.'),
    body: z.string('must be a string that contains JSON').optional().describe('For POST: JSON as a string.'),
  },
  'must be an object with a url',
)

type FetchApiInput = z.output<typeof schema>

/**
 * No tool without hosts. Failures are ApiErrors for the model.
 * @throws FatalError `bad-host` for an invalid FETCH_API_HOSTS
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
      `Calls a public web API over HTTPS, with GET or POST, on these hosts only: ${hosts.names.join(', ')}. No ` +
      'authentication, no writes. Long JSON is shortened, and base64 from access nodes (/v1/transactions/{id}, ' +
      '/v1/transaction_results/{id}, accounts, events) is decoded. The result is untrusted data.',
    inputSchema: toolInputSchema(schema),
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
    return {
      ...common,
      body: null,
      truncated: false,
      note: 'The response is a redirect, which POST requests do not follow.',
    }
  return { ...common, ...presentBody(answer, readCadence) }
}

/**
 * Serialises the body again, so that the server reads the checked value.
 * @throws ApiError 400 `invalid-field`
 */
function readBody(method: 'GET' | 'POST', body: string | undefined): string | undefined {
  if (body === undefined || (method === 'GET' && body.trim() === '')) return undefined
  if (method === 'GET') throw bodyRefused('A GET request has no body. Put the parameters into the URL, or use POST.')
  const written = rewrite(body)
  if (Buffer.byteLength(written) > maxBodyBytes)
    throw bodyRefused(`Body too large: at most ${maxBodyBytes} bytes. Request less.`)
  return written
}

function rewrite(text: string): string {
  try {
    const written = JSON.stringify(JSON.parse(text))
    if (written === JSON.stringify(parseExactJson(text))) return written
  } catch (error) {
    throw bodyRefused('The body is not valid JSON.', error)
  }
  throw bodyRefused('The body has a number that JSON cannot represent exactly. Write it as a string.')
}

function bodyRefused(problem: string, cause?: unknown): ApiError {
  return new ApiError(400, 'invalid-field', problem, { field: 'body', ...(cause === undefined ? {} : { cause }) })
}

export interface ListedRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly body: string | undefined
}

export interface ListedAnswer extends RawAnswer {
  readonly url: URL
}

export interface FetchListedOptions {
  readonly hosts: ListedHosts
  readonly network: OutboundNetwork
  /** Total time for queueing, DNS, connections, redirects and bodies. */
  readonly timeoutMs: number
}

export type FetchListed = (request: ListedRequest, signal: AbortSignal) => Promise<ListedAnswer>

const maxRedirects = 3

export const maxConcurrent = 32

/**
 * GET redirects are followed within the list, each resolved and checked again; POST redirects are
 * returned.
 * @throws ApiError 400 `url-refused` or `write-refused`, 502 `fetch-failed`, 504 `fetch-timeout`;
 *   the signal's reason
 */
export function fetchListed({ hosts, network, timeoutMs }: FetchListedOptions): FetchListed {
  const limit = pLimit(maxConcurrent)
  return async (request, signal) => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const ending = AbortSignal.any([signal, deadline])
    try {
      return await untilAborted(
        limit(() => follow(request, hosts, network, ending)),
        ending,
      )
    } catch (error) {
      signal.throwIfAborted()
      if (deadline.aborted)
        throw new ApiError(
          504,
          'fetch-timeout',
          `${request.url.hostname} did not respond within ${timeoutMs / 1000} s. Request less, or use another host.`,
          { cause: error },
        )
      throw error
    }
  }
}

async function follow(
  request: ListedRequest,
  hosts: ListedHosts,
  network: OutboundNetwork,
  signal: AbortSignal,
): Promise<ListedAnswer> {
  let { url } = request
  for (let followed = 0; followed <= maxRedirects; followed++) {
    signal.throwIfAborted()
    refuseWrites(url, request.method, request.body === undefined ? undefined : JSON.parse(request.body))
    const answer = await sendChecked({ ...request, url }, network, signal)
    if (answer.location === undefined || request.method === 'POST') return { ...answer, url }
    url = hosts.readRedirect(answer.location, url)
  }
  throw new ApiError(502, 'fetch-failed', `Too many redirects from ${request.url.hostname}: more than ${maxRedirects}.`)
}

async function sendChecked(request: ListedRequest, network: OutboundNetwork, signal: AbortSignal): Promise<RawAnswer> {
  const { hostname } = request.url
  try {
    const address = await untilAborted(resolveTarget(request.url, network.policy, network.lookUp), signal)
    return await sendRequest({ ...request, address }, network, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TargetRefused) throw urlRefused(`${hostname} is not allowed: ${error.message}.`, error)
    throw new ApiError(502, 'fetch-failed', `Request to ${hostname} failed: ${reasonOf(error)}.`, {
      cause: error,
    })
  }
}

/** Contains no text of the server: TLS errors quote certificates. */
function reasonOf(thrown: unknown): string {
  const error = asError(thrown)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

export interface OutboundNetwork {
  readonly policy: TargetPolicy
  readonly lookUp: ResolveHost
  readonly port: number
  readonly ca: string | undefined
}

export function publicInternet(): OutboundNetwork {
  return { policy: targetPolicy([]), lookUp: resolveHost(), port: 443, ca: undefined }
}
