import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { literalAddress, portOf } from '../platform/outbound/target-policy.ts'

export interface PostRequest {
  readonly url: URL
  /** IP address to connect to, whatever the name of the host. */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface PostAnswer {
  readonly status: number
  readonly excerpt: string
  /** `Retry-After`, in seconds; undefined where it was not said. */
  readonly retryAfterSeconds: number | undefined
}

export interface PosterOptions {
  /** For the whole of an attempt, from the connection to the end of the answer. */
  readonly timeoutMs: number
}

/** More of an answer is not read; its connection is closed. */
const mostAnswerBytes = 64 * 1024
const excerptCharacters = 500

/** Connections to one host that are kept open for the next delivery: many endpoints may be on one. */
const idleSockets = 64

class StaleConnection extends Error {}

/** Posts over connections that are kept open. Redirects are not followed. */
export class Poster {
  readonly #timeoutMs: number
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: idleSockets, timeout: 30_000 }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: idleSockets, timeout: 30_000 }),
  }

  constructor({ timeoutMs }: PosterOptions) {
    this.#timeoutMs = timeoutMs
  }

  /** @throws when there was no answer, or not in time, and when the signal is aborted */
  async post(request: PostRequest, signal?: AbortSignal): Promise<PostAnswer> {
    const deadline = AbortSignal.timeout(this.#timeoutMs)
    const ending = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
    try {
      return await this.#postOnce(request, ending).catch((error: unknown) => {
        // The receiver closed a connection that had been idle just when this was written to it.
        if (error instanceof StaleConnection) return this.#postOnce(request, ending)
        throw error
      })
    } catch (error) {
      throw deadline.aborted ? new Error(`no answer within ${this.#timeoutMs} ms`, { cause: error }) : error
    }
  }

  async #postOnce({ url, address, headers, body }: PostRequest, signal: AbortSignal): Promise<PostAnswer> {
    const isSecure = url.protocol === 'https:'
    const text = Buffer.from(body)
    const answer = Promise.withResolvers<PostAnswer>()
    let isAnswered = false
    const request: ClientRequest = (isSecure ? httpsRequest : httpRequest)({
      agent: this.#agents[isSecure ? 'https:' : 'http:'],
      host: address,
      port: portOf(url),
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      ...(isSecure && literalAddress(url) === undefined && isIP(url.hostname) === 0
        ? { servername: url.hostname }
        : {}),
      headers: { ...headers, host: url.host, 'content-length': text.byteLength },
      signal,
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && !isAnswered && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      answer.reject(isStale ? new StaleConnection() : error)
    })
    request.once('response', (response) => {
      isAnswered = true
      readAnswer(response).then(answer.resolve, answer.reject)
    })
    // Without an error that is what a receiver gets which wants to speak another protocol (101).
    request.once('close', () => {
      if (!isAnswered) answer.reject(new Error('the connection was closed without an answer'))
    })
    request.end(text)
    return answer.promise
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }
}

async function readAnswer(response: IncomingMessage): Promise<PostAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    // Leaving the loop closes the connection.
    if (bytes > mostAnswerBytes) break
  }
  const retryAfter = response.headers['retry-after']
  return {
    status: response.statusCode ?? 0,
    // U+0000 cannot be stored.
    excerpt: Buffer.concat(chunks).toString('utf8').replaceAll('\0', '').slice(0, excerptCharacters),
    retryAfterSeconds: retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined,
  }
}
