import { ApiError } from '../errors.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Context, Middleware } from 'koa'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface PageFile {
  readonly body: Buffer
  readonly type: string
  /** The path contains a content hash. */
  readonly isImmutable: boolean
}

export interface PageProgress {
  readonly built: number
  readonly total: number
  readonly seconds: number
  readonly failure: string | undefined
}

/** '' is the page itself. Waits for a running build. */
export interface Pages {
  file(path: string): Promise<PageFile | undefined>
  /** Undefined once the page can be served. */
  readonly progress?: PageProgress | undefined
}

const waitMs = 2000

const reloadSeconds = 2

/** The reason of a failure is only in the log, since it contains server paths. */
function unbuiltPage({ built, total, seconds, failure }: PageProgress): string {
  const heading = failure === undefined ? 'Building pages…' : 'Pages are not built yet'
  const state =
    failure === undefined
      ? `${total === 0 ? 'The build has started' : `${built} of ${total} pages are built`} (${seconds} ` +
        's). Pages are built once after an installation or update.'
      : 'The last build failed; see the server log. The build is retried automatically, and ' +
        'all other services run.'
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

type Answer = Pick<Context, 'set' | 'status' | 'body' | 'type'>

/**
 * No authentication: only the data is protected.
 * @param policy Content-Security-Policy, from the HTML
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
    delay(waitMs, 'late' as const, { signal: waiting.signal, ref: false }).catch(() => 'late' as const),
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
 * No authentication: the data requires the token. The page shows untrusted text, so it may load
 * nothing from other origins.
 * @param roots further first path segments of the page
 */
export function createRootPage(pages: Pages, roots: readonly string[] = []): Middleware {
  const setHeaders = securityHeaders()
  return async (context, next) => {
    if (!isPagePath(context.path, roots) || context.method === 'OPTIONS') {
      await next()
      return
    }
    if (!['GET', 'HEAD'].includes(context.method)) {
      context.set('Allow', 'GET, HEAD')
      throw new ApiError(405, 'method-not-allowed', `${context.path} accepts GET and HEAD, not ${context.method}.`)
    }
    const isFile = context.path.startsWith('/assets/')
    context.state['route'] = isFile ? '/assets' : '/'
    await setHeaders(context, () =>
      servePage(context, pages, isFile ? context.path.slice(1) : '', (html) => contentPolicy({ html })),
    )
  }
}

export function isPagePath(path: string, roots: readonly string[] = []): boolean {
  return path === '/' || path.startsWith('/assets/') || roots.includes(path.split('/', 2)[1] ?? '')
}

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
 * Allows the page's own origin only.
 * @param options.html trusted HTML whose inline styles and scripts are allowed by hash
 * @param options.areStylesFree allows inline styles, for third-party pages
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

interface HtmlPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

const folder = new URL('./', import.meta.url)
const sharedStyle = readFileSync(new URL('style.css', folder), 'utf8')

/** Inlined, so browsers request no file. */
const icon = [
  `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#226b33'/>`,
  `<path d='M16 27V15M16 17C9 17 6 13 6 7c7 0 10 3 10 10Zm0 4c0-6 3-9 10-9 0 6-4 9-10 9Z' fill='#bfe8c4' `,
  `stroke='#fff' stroke-width='1.5' stroke-linejoin='round'/></svg>`,
].join('')

/** @param name file name in `pages/` without `.html` */
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
