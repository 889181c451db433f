import { ApiError } from '../errors.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Context, Middleware } from 'koa'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

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

/**
 * The built files of the page; the empty path is the page itself. A file may take as long as it takes to build the
 * page.
 */
export interface Pages {
  file(path: string): Promise<PageFile | undefined>
  /** Undefined once the page can be served. */
  readonly progress?: PageProgress | undefined
}

/** How long a browser waits for a page that is being built, before it is shown something, ms. */
const patienceMs = 2000

/** How often the page below reloads itself, s. */
const reloadSeconds = 2

/**
 * Shown instead of a page that is not built yet. The reason of a failure is in the log: it contains paths of the
 * server.
 */
function unbuiltPage({ built, total, seconds, failure }: PageProgress): string {
  const heading = failure === undefined ? 'Building pages…' : 'The pages are not built yet'
  const state =
    failure === undefined
      ? `${total === 0 ? 'The build has started' : `${built} of ${total} pages are built`} (${seconds} ` +
        's). Pages are built once after an installation or update.'
      : 'The last build failed; the server log has the reason. The build is retried automatically, and ' +
        'all other parts run.'
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${reloadSeconds}">
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
 * A service's page at `/` and its files below `/assets`. They are open to all, since they hold nothing but the
 * program; the data wants the token. What the page shows was written by strangers, so it may have nothing from
 * elsewhere, pictures neither.
 */
export function createRootPage(pages: Pages): Middleware {
  const setHeaders = securityHeaders()
  return async (context, next) => {
    if (!isPagePath(context.path) || context.method === 'OPTIONS') {
      await next()
      return
    }
    if (!['GET', 'HEAD'].includes(context.method)) {
      context.set('Allow', 'GET, HEAD')
      throw new ApiError(405, 'method-not-allowed', `${context.path} takes GET and HEAD, not ${context.method}.`)
    }
    context.state['route'] = context.path === '/' ? '/' : '/assets'
    await setHeaders(context, () => servePage(context, pages, context.path.slice(1), (html) => contentPolicy({ html })))
  }
}

/**
 * Whether a path is that of a service's page, at its root, or of one of the page's files; all others are of the
 * API.
 */
export function isPagePath(path: string): boolean {
  return path === '/' || path.startsWith('/assets/')
}

/** What every answer says to browsers: no frame, no guessing of types, no address handed on, nothing from elsewhere. */
export function securityHeaders(): Middleware {
  return async (context, next) => {
    context.set({
      'Content-Security-Policy': contentPolicy({}),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    })
    await next()
  }
}

/**
 * A policy that allows scripts, styles, pictures and calls of the page's own origin and nothing else.
 * @param options.html whose inline style and script elements are allowed, by their content; it is ours, and holds
 * no input
 * @param options.areStylesFree allows any inline style, for a page that is not ours
 * @param options.arePicturesFree allows pictures from any host that is asked by HTTPS
 */
export function contentPolicy({
  html = '',
  areStylesFree = false,
  arePicturesFree = false,
}: {
  html?: string
  areStylesFree?: boolean
  arePicturesFree?: boolean
}): string {
  const hashesOf = (inline: RegExp): string[] =>
    [...html.matchAll(inline)].map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  const hashes = hashesOf(/<style>([\s\S]*?)<\/style>/g)
  const scripts = hashesOf(/<script>([\s\S]*?)<\/script>/g)
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    ["style-src 'self'", ...(areStylesFree ? ["'unsafe-inline'"] : hashes)].join(' '),
    `img-src 'self' data:${arePicturesFree ? ' https:' : ''}`,
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** A page as it is sent. */
interface HtmlPage {
  readonly html: string
  /** Forbid the page everything but its own script and style, and to ask anybody but the host it came from. */
  readonly headers: Readonly<Record<string, string>>
}

const folder = new URL('./', import.meta.url)
const sharedStyle = readFileSync(new URL('style.css', folder), 'utf8')

/** The sign of flowfarm, two leaves; inside the page, so that no browser asks for a file of its own. */
const icon = [
  `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#226b33'/>`,
  `<path d='M16 27V15M16 17C9 17 6 13 6 7c7 0 10 3 10 10Zm0 4c0-6 3-9 10-9 0 6-4 9-10 9Z' fill='#bfe8c4' `,
  `stroke='#fff' stroke-width='1.5' stroke-linejoin='round'/></svg>`,
].join('')

/**
 * A page of `pages/`, whole: with the style that all share and the icon in it.
 * @param name of the file, without `.html`
 */
export function readHtmlPage(name: string): HtmlPage {
  const html = readFileSync(new URL(`${name}.html`, folder), 'utf8')
    .replace('/* style.css */', () => sharedStyle)
    .replace('<!-- icon -->', () => `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">`)
  return {
    html,
    headers: {
      'Content-Security-Policy': [
        "default-src 'none'",
        "connect-src 'self'",
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        `script-src '${hashOf(html, 'script')}'`,
        `style-src '${hashOf(html, 'style')}'`,
      ].join('; '),
      'Referrer-Policy': 'no-referrer',
    },
  }
}

function hashOf(html: string, element: 'script' | 'style'): string {
  const content = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(html)?.[1] ?? ''
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}
