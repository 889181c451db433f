import { ApiError } from '../../base/errors.ts'
import type { OperatorContext } from './requests.ts'

/** Ten thousand leases by name. */
const mostBytes = 1024 * 1024

/**
 * The body of a request, which must be JSON and say so: a form of another site cannot, and a script of one would have
 * to ask first.
 * @throws ApiError 415 `not-json`, 413 `body-too-large`, 400 `bad-json`
 */
export async function readJson(context: OperatorContext): Promise<unknown> {
  if (context.is('application/json') !== 'application/json') {
    throw new ApiError(415, 'not-json', 'Send JSON, with the header `Content-Type: application/json`.')
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of context.req as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new ApiError(413, 'body-too-large', `A body has at most ${mostBytes} bytes; send several requests.`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
  } catch (error) {
    throw new ApiError(400, 'bad-json', 'The body is not JSON.', { cause: error })
  }
}
