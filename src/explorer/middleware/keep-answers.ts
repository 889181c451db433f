import type { Middleware } from 'koa'
import { leastCompressedBytes, preferredEncoding } from '../http/encodings.ts'
import type { KeptAnswer, KeptAnswers } from '../kept/kept-answers.ts'
import { toApiError } from '../http/problem.ts'
import { holds } from './caching.ts'
import type { RequestState } from './request-log.ts'

/**
 * Gives kept answers again, and waits for those that are being made. Kept is what was answered with 200 to a GET that anybody may make,
 * as one text with a tag, and may be cached at all.
 */
export function keepAnswers(kept: KeptAnswers): Middleware<RequestState> {
  return async (context, next) => {
    const { method, url } = context
    if (method !== 'GET' || !kept.isOn || kept.isUnfit(url) || context.get('Authorization') !== '') {
      await next()
      return
    }
    const known = kept.find(url) ?? (await kept.pending(url))
    if (known !== undefined) {
      context.state.route = known.route
      context.set(known.headers)
      context.body = known.body
      // Answered with 304 further out: nothing needs to be compressed.
      if (holds(context.get('If-None-Match'), known.tag)) return
      const encoding =
        known.body.length < leastCompressedBytes ? undefined : preferredEncoding(context.get('Accept-Encoding'))
      if (encoding !== undefined) {
        context.body = await kept.findEncoded(url, known, encoding)
        context.set('Content-Encoding', encoding)
      }
      return
    }
    const end = kept.begin(url)
    let answer: KeptAnswer | undefined
    // An outage says nothing of the answer after it.
    let isUnfit = false
    try {
      await next()
      if (context.status === 200 && typeof context.body === 'string')
        answer = keepable(context.body, context.response.headers, context.state)
      if (answer !== undefined) context.body = answer.body
      isUnfit = answer === undefined && context.status < 500
    } catch (error) {
      const { status } = toApiError(error)
      // Too many calls of one client say nothing of the answer for others.
      isUnfit = status < 500 && status !== 429
      throw error
    } finally {
      end(answer, isUnfit)
    }
  }
}

/** Of the headers those that the answer itself has; others are of one request, such as what is left of a limit. */
const ofAnswer = [
  'Content-Type',
  'Content-Location',
  'Cache-Control',
  'ETag',
  'Content-Disposition',
  'Content-Security-Policy',
]

function keepable(
  body: string,
  headers: NodeJS.Dict<number | string | string[]>,
  { route, caching }: RequestState,
): KeptAnswer | undefined {
  const tag = headers['etag']
  if (typeof tag !== 'string' || route === undefined) return undefined
  const own = ofAnswer.flatMap((name) => {
    const value = headers[name.toLowerCase()]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  const isLasting = /\bmax-age=[1-9]/.test(String(headers['cache-control']))
  return {
    body: Buffer.from(body),
    headers: Object.fromEntries(own),
    tag: tag.replace(/^W\//, ''),
    route,
    isLasting,
    isSettled: caching === 'settled',
  }
}
