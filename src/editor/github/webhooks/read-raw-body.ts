import type { IncomingMessage } from 'node:http'
import type { BodyBudget } from '../../../base/body-budget.ts'
import { ApiError } from '../../../base/errors.ts'
import { isShallowText, tooDeep } from '../../../base/json-depth.ts'

/**
 * Runs something with the body of a request as it came, which is what signatures are of. The rest of one that is too large is left unread.
 * @throws ApiError 413 `body-too-large`, 415 `compressed-body`, 400 `incomplete-body`, 503 `busy`; what `run` throws
 */
export async function withRawBody<T>(
  request: IncomingMessage,
  { mostBytes, budget }: { readonly mostBytes: number; readonly budget: BodyBudget },
  run: (body: Buffer) => Promise<T>,
): Promise<T> {
  const { 'content-length': length = '0', 'content-encoding': coding = 'identity' } = request.headers
  if (coding.toLowerCase() !== 'identity')
    throw new ApiError(415, 'compressed-body', 'Send the body as it is, without Content-Encoding.')
  const tooLarge = (): ApiError => new ApiError(413, 'body-too-large', `A body has at most ${mostBytes} bytes.`)
  if (Number(length) > mostBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (bytes + chunk.length > mostBytes) throw tooLarge()
        budget.take(chunk.length)
        bytes += chunk.length
        chunks.push(chunk)
      }
    } catch (error) {
      if (error instanceof ApiError || request.complete) throw error
      throw new ApiError(400, 'incomplete-body', 'The connection ended before the body did.', { cause: error })
    }
    return await run(Buffer.concat(chunks))
  } finally {
    budget.giveBack(bytes)
  }
}

/** A body whose signature was found right, as JSON. @throws ApiError 400 `bad-json` or `too-deep` */
export function jsonOf(body: Buffer): unknown {
  if (!isShallowText(body)) throw tooDeep()
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown
  } catch (error) {
    throw new ApiError(400, 'bad-json', 'The body is not JSON. Have the webhook send application/json.', {
      cause: error,
    })
  }
}
