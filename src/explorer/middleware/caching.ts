import { createHash } from 'node:crypto'
import type { Middleware } from 'koa'

/**
 * Gives every text that is answered with 200 a weak ETag, made of the body: it holds over restarts and between processes.
 * `answerNotModified` stands further out, so that a cache in between is given whole answers.
 */
export function tagAnswers(): Middleware {
  return async (context, next) => {
    await next()
    if (context.status !== 200 || typeof context.body !== 'string') return
    if (context.response.get('Cache-Control') === 'no-store') return
    context.set('ETag', `W/"${createHash('sha1').update(context.body).digest('base64url')}"`)
  }
}

/**
 * Answers 304 where the client holds the answer already.
 *
 * Koa's own `fresh` is of no use here: it takes `Cache-Control: no-cache` of a request for a wish to get everything
 * anew, and that is what `fetch` sends along with an If-None-Match of the caller. It only bids caches on the way to ask.
 */
export function answerNotModified(): Middleware {
  return async (context, next) => {
    await next()
    if (context.status !== 200 || !context.res.hasHeader('ETag')) return
    const tag = context.response.get('ETag').replace(/^W\//, '')
    if (holds(context.get('If-None-Match'), tag)) context.status = 304
  }
}

/** Whether a list of entity tags has one, by the weak comparison of RFC 9110. */
export function holds(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch.split(',').some((given) => {
    const known = given.trim()
    return known === '*' || known.replace(/^W\//, '') === tag
  })
}
