import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const html = readFileSync(new URL('docs-page.html', import.meta.url), 'utf8')

/** The page at `/docs`: shows `openapi.json`, asks no other host, and may run nothing but its own script and style. */
export const docsPage = {
  html,
  headers: {
    'Content-Security-Policy': [
      "default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
      `script-src '${hashOf('script')}'`, `style-src '${hashOf('style')}'`,
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
  },
}

function hashOf(element: 'script' | 'style'): string {
  const content = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(html)?.[1] ?? ''
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}
