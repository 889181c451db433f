import { createHash } from 'node:crypto'
import type { Middleware } from 'koa'

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
 * @param options.html whose inline style and script elements are allowed, by their content; it is ours, and holds no input
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
