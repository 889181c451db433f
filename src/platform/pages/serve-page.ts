import { setTimeout as delay } from 'node:timers/promises'
import type { Context, Middleware } from 'koa'
import { contentPolicy, securityHeaders } from './security-headers.ts'

/** A file of the page as it goes over the wire. */
export interface PageFile {
  readonly body: Buffer
  readonly type: string
  /** Whether the path names the content, so that a browser may keep the file for ever. */
  readonly isImmutable: boolean
}

/** How far the build of the pages is. */
export interface PageProgress {
  readonly built: number
  readonly total: number
  readonly seconds: number
  /** Set if the last attempt failed: another one follows. */
  readonly failure: string | undefined
}

/** The built files of the page; the empty path is the page itself. A file may take as long as it takes to build the page. */
export interface Pages {
  file(path: string): Promise<PageFile | undefined>
  /** Undefined once the page can be served. */
  readonly progress?: PageProgress | undefined
}

/** How long a browser waits for a page that is being built, before it is shown something, ms. */
const patienceMs = 2000

/** How often the page below reloads itself, s. */
const reloadSeconds = 2

/** Shown instead of a page that is not built yet. The reason of a failure is in the log: it contains paths of the server. */
function unbuiltPage({ built, total, seconds, failure }: PageProgress): string {
  const heading = failure === undefined ? 'Building pages…' : 'The pages are not built yet'
  const state =
    failure === undefined
      ? `${total === 0 ? 'The build has started' : `${built} of ${total} pages are built`} (${seconds} s). Pages are built once after an installation or update.`
      : 'The last build failed; the server log has the reason. The build is retried automatically, and all other parts run.'
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${reloadSeconds}">
<title>flowfarm: ${heading}</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto; padding: 0 1rem }
</style>
<h1>${heading}</h1>
<p>${state}</p>
<p>This page reloads automatically.</p>
</html>
`
}

/** What an answer is written to. */
type Answer = Pick<Context, 'set' | 'status' | 'body' | 'type'>

/**
 * Serves the page and its files. They are open to all, since they hold nothing but the program; the data is guarded.
 * @param policy the Content-Security-Policy of a page, by its HTML
 */
export async function servePage(
  context: Answer,
  pages: Pages,
  path: string,
  policy = (html: string): string => contentPolicy({ html }),
): Promise<void> {
  const waiting = new AbortController()
  const file = await Promise.race([
    pages.file(path),
    delay(patienceMs, 'late' as const, { signal: waiting.signal, ref: false }).catch(() => 'late' as const),
  ])
  waiting.abort()
  const { progress } = pages
  if (file === 'late' || (file === undefined && progress !== undefined)) {
    const hasFailed = progress?.failure !== undefined
    if (path !== '' || hasFailed) context.set('Retry-After', String(reloadSeconds))
    context.status = path === '' && !hasFailed ? 200 : 503
    sendHtml(context, unbuiltPage(progress ?? { built: 0, total: 0, seconds: 0, failure: undefined }), policy)
    return
  }
  if (file === undefined) return
  context.status = 200
  if (file.type.startsWith('text/html')) {
    sendHtml(context, file.body.toString('utf8'), policy)
    return
  }
  context.set('Cache-Control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  context.body = file.body
  context.type = file.type
}

function sendHtml(context: Answer, html: string, policy: (html: string) => string): void {
  context.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': policy(html) })
  context.body = html
  context.type = 'text/html; charset=utf-8'
}

/**
 * A service's page at `/` and its files below `/assets`. They are open to all, since they hold nothing but the program; the data wants
 * the token. What the page shows was written by strangers, so it may have nothing from elsewhere, pictures neither.
 */
export function createRootPage(pages: Pages): Middleware {
  const setHeaders = securityHeaders()
  return async (context, next) => {
    if (!isPagePath(context.path) || !['GET', 'HEAD'].includes(context.method)) {
      await next()
      return
    }
    context.state['route'] = context.path === '/' ? '/' : '/assets'
    await setHeaders(context, () => servePage(context, pages, context.path.slice(1), (html) => contentPolicy({ html })))
  }
}

/** Whether a path is that of a service's page, at its root, or of one of the page's files; all others are of the API. */
export function isPagePath(path: string): boolean {
  return path === '/' || path.startsWith('/assets/')
}
