import type { RequestListener } from 'node:http'
import { constants } from 'node:zlib'
import Koa from 'koa'
import compress from 'koa-compress'
import type { Logger } from '../base/log.ts'
import { contentPolicy, securityHeaders } from '../operator/http/security-headers.ts'
import { servePage } from '../operator/pages.ts'
import type { Pages } from '../operator/pages.ts'

/**
 * The query page at `/` and its files below `/assets`, for the paths of `isPagePath`. It is open to all, since it holds nothing but
 * the program; the data wants the token. What it shows was written by strangers, so nothing is had from elsewhere, pictures neither.
 */
export function createAskPage(pages: Pages, log: Logger): RequestListener {
  const app = new Koa()
  app.on('error', (error: unknown) => log.error({ err: error }, 'the query page could not be sent'))
  app.use(securityHeaders())
  // The files are few and kept by browsers for ever: it is worth the time to make them small.
  app.use(compress({ threshold: 1024, br: { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } } }))
  app.use((context) => servePage(context, pages, context.path.slice(1), (html) => contentPolicy({ html })))
  const handle = app.callback()
  // What `handle` throws became an answer inside.
  return (request, response) => void handle(request, response)
}
