import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ApiError } from '../errors.ts'

export interface NotFoundPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

const style = `:root { color-scheme: light dark }
body { font: 14px/1.55 system-ui, sans-serif; margin: 0; overflow-wrap: anywhere; color: light-dark(#161a14, #e9ece7);
  background: light-dark(#f7f8f6, #0b0d0b) }
main { max-width: 30rem; margin: 16vh auto; padding: 1.5rem 2rem 2rem; background: light-dark(#fff, #131613);
  border: 1px solid light-dark(#e4e7e1, #242924); border-radius: 10px }
h1 { margin: 0; font-size: 1.375rem }
b, p { color: light-dark(#565e51, #a0a89b) }
a { color: light-dark(#1d6b34, #6fcf8a) }`
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri ` +
    `'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

const maxShownPath = 200

/** Undefined for other errors and for clients that do not prefer HTML. */
export function notFoundPage(
  { method, url = '/', headers: { accept = '' } }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  error: ApiError,
  home?: string,
): NotFoundPage | undefined {
  if (
    error.code !== 'unknown-path' ||
    error.field !== undefined ||
    (method !== 'GET' && method !== 'HEAD') ||
    !prefersHtml(accept)
  )
    return undefined
  const path = url.split('?', 1)[0] ?? '/'
  const shown = path.length > maxShownPath ? `${path.slice(0, maxShownPath)}…` : path
  const link =
    home === undefined || path === home ? '' : `<p><a href="${escapeHtml(home)}">Go to the start page</a></p>\n`
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>flowfarm: page not found</title>
<style>${style}</style>
<main><b>flowfarm</b>
<h1>Page not found</h1>
<p>No page exists at <code>${escapeHtml(shown)}</code>. Check the address.</p>
${link}</main></html>
`
  return { html, headers }
}

/** Wildcards do not count: programs send them. */
function prefersHtml(accept: string): boolean {
  const qualityOf = (type: RegExp): number =>
    Math.max(
      0,
      ...accept
        .toLowerCase()
        .split(',')
        .map((range) => {
          const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
          if (!type.test(name)) return 0
          const quality = parameters.find((parameter) => parameter.startsWith('q='))
          return quality === undefined ? 1 : Number(quality.slice(2)) || 0
        }),
    )
  const html = qualityOf(/^text\/html$/)
  return html > 0 && html >= qualityOf(/^application\/(?:[\w.-]+\+)?json$/)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
