import pLimit from 'p-limit'
import { untilAborted } from '../../../../platform/abort-reason.ts'
import { ApiError, asError } from '../../../../platform/errors.ts'
import { resolveTarget, TargetRefused } from '../../../../platform/outbound/resolve-target.ts'
import { urlRefused } from './listed-hosts.ts'
import type { ListedHosts } from './listed-hosts.ts'
import type { OutboundNetwork } from './outbound-network.ts'
import { refuseWrites } from './refuse-writes.ts'
import { sendRequest } from './send-request.ts'
import type { RawAnswer } from './send-request.ts'

export interface ListedRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  /** JSON; undefined: none. */
  readonly body: string | undefined
}

/** What came in the end, and from where. */
export interface ListedAnswer extends RawAnswer {
  readonly url: URL
}

export interface FetchListedOptions {
  readonly hosts: ListedHosts
  readonly network: OutboundNetwork
  /** For all of it: waiting for a turn, names, connections, redirects and bodies. */
  readonly timeoutMs: number
}

export type FetchListed = (request: ListedRequest, signal: AbortSignal) => Promise<ListedAnswer>

const mostRedirects = 3

/** Requests of a process at the same time, each of which may hold a body: more than one conversation can make, and not more than memory has room for. */
export const mostAtOnce = 32

/**
 * Makes what calls listed hosts. Redirects of a GET are followed within the list, each to an address that is looked up and checked anew; those of a POST
 * are given as they are. It throws ApiError 400 `url-refused` or `write-refused`, 502 `fetch-failed`, 504 `fetch-timeout`, and the signal's reason.
 */
export function fetchListed({ hosts, network, timeoutMs }: FetchListedOptions): FetchListed {
  const limit = pLimit(mostAtOnce)
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
          `${request.url.hostname} did not answer within ${timeoutMs / 1000} s. Ask it for less, or another host.`,
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
  for (let followed = 0; followed <= mostRedirects; followed++) {
    signal.throwIfAborted()
    refuseWrites(url, request.method, request.body === undefined ? undefined : JSON.parse(request.body))
    const answer = await sendChecked({ ...request, url }, network, signal)
    if (answer.location === undefined || request.method === 'POST') return { ...answer, url }
    url = hosts.readRedirect(answer.location, url)
  }
  throw new ApiError(
    502,
    'fetch-failed',
    `${request.url.hostname} leads from one URL to the next, more than ${mostRedirects} times.`,
  )
}

async function sendChecked(request: ListedRequest, network: OutboundNetwork, signal: AbortSignal): Promise<RawAnswer> {
  const { hostname } = request.url
  try {
    const address = await untilAborted(resolveTarget(request.url, network.policy, network.lookUp), signal)
    return await sendRequest({ ...request, address }, network, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TargetRefused) throw urlRefused(`${hostname} may not be called: ${error.message}.`, error)
    throw new ApiError(502, 'fetch-failed', `${hostname} gave no answer that can be read: ${reasonOf(error)}.`, {
      cause: error,
    })
  }
}

/** The words of others stay out: errors of TLS quote certificates. */
function reasonOf(thrown: unknown): string {
  const error = asError(thrown)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
