import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A page as it is sent. */
export interface HtmlPage {
  readonly html: string
  /** Forbid the page everything but its own script and style, and to ask anybody but the host it came from. */
  readonly headers: Readonly<Record<string, string>>
}

const folder = new URL('../pages/', import.meta.url)
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
