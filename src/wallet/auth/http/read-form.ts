import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../../base/errors.ts'
import { authError } from '../auth-error.ts'

const mostBytes = 4096

/**
 * What a form of a page of ours sends. That it is of ours the browser says: another site cannot sign its visitors in to an account of its own.
 * @throws ApiError 403 `validation_failed`, 413
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const { 'sec-fetch-site': site, origin = '', host = '' } = request.headers
  const isOurs =
    site === undefined ? URL.canParse(origin) && new URL(origin).host === host.toLowerCase() : site === 'same-origin'
  if (!isOurs)
    throw authError(403, 'validation_failed', 'Open the link of the e-mail, and press the button on its page.')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new ApiError(413, 'body-too-large', `A form has at most ${mostBytes} bytes.`)
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
