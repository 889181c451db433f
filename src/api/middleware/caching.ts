import { createHash } from 'node:crypto'
import type { Middleware } from 'koa'

/**
 * Gives every text that is answered with 200 a weak ETag, and answers 304 where the client holds it already. The tag
 * is made of the body: it tells nothing of when, so it holds over restarts and between processes.
 */
export function conditionalGet(): Middleware {
  return async (context, next) => {
    await next()
    if (context.status !== 200 || typeof context.body !== 'string') return
    if (context.response.get('Cache-Control') === 'no-store') return
    context.set('ETag', `W/"${createHash('sha1').update(context.body).digest('base64url')}"`)
    if (context.fresh) context.status = 304
  }
}
