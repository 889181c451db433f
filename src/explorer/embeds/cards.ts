import { escapeHtml } from '../../platform/http/not-found-page.ts'
import type { Summary, SummaryKind } from './summaries.ts'

export type Preview = Pick<Summary, 'title' | 'description' | 'path'> & { readonly kind: SummaryKind | 'explorer' }

/** Replaces the title and description of the page, and adds link previews (Open Graph, Twitter). */
export function withPreview(html: string, preview: Preview, origin: string): string {
  const { kind, title, description, path } = preview
  const properties: readonly (readonly [attribute: string, name: string, content: string])[] = [
    ['property', 'og:type', 'website'],
    ['property', 'og:site_name', 'flowfarm'],
    ['property', 'og:title', title],
    ['property', 'og:description', description],
    ['property', 'og:url', `${origin}${path}`],
    ['property', 'og:image', `${origin}/preview/${kind}.png`],
    ['property', 'og:image:width', '1200'],
    ['property', 'og:image:height', '630'],
    ['name', 'twitter:card', 'summary_large_image'],
    ['name', 'twitter:title', title],
    ['name', 'twitter:description', description],
    ['name', 'twitter:image', `${origin}/preview/${kind}.png`],
  ]
  const tags = properties.map(
    ([attribute, name, content]) => `<meta ${attribute}="${name}" content="${escapeHtml(content)}">`,
  )
  return html
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)} – flowfarm</title>`)
    .replace(
      /<meta name="description" content="[^"]*">/,
      () => `<meta name="description" content="${escapeHtml(description)}">`,
    )
    .replace('</head>', () => `<link rel="canonical" href="${escapeHtml(origin + path)}">\n${tags.join('\n')}\n</head>`)
}

const tones = { good: '#1d6b34', bad: '#b3261e', neutral: '#1a5fb4' } as const
/** Mean width of a character at 11 px. */
const characterWidth = 6

export function badgeSvg({ label, message, tone }: Pick<Summary, 'label' | 'message' | 'tone'>): string {
  const widthOf = (text: string): number => Math.ceil(Array.from(text).length * characterWidth) + 14
  const [left, right] = [widthOf(label), widthOf(message)]
  const part = (text: string, x: number, width: number): string =>
    `<text x="${x + width / 2}" y="14" textLength="${width - 12}" lengthAdjust="spacingAndGlyphs">` +
    `${escapeHtml(text)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" `,
    `aria-label="${escapeHtml(`${label}: ${message}`)}">`,
    `<title>${escapeHtml(`${label}: ${message}`)}</title>`,
    `<clipPath id="r"><rect width="${left + right}" height="20" rx="4"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#343c30"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${tones[tone]}"/></g>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">`,
    part(label, 0, left),
    part(message, left, right),
    '</g></svg>\n',
  ].join('')
}

const style = `:root { color-scheme: light dark }
* { box-sizing: border-box; margin: 0 }
body { padding: 14px 16px; font: 14px/1.45 system-ui, sans-serif; color: light-dark(#161a14, #e9ece7);
  background: light-dark(#fff, #131613); border: 1px solid light-dark(#cdd2c8, #3a413a); border-radius: 10px;
  overflow-wrap: anywhere; min-height: 100vh }
a { color: light-dark(#1d6b34, #6fcf8a) }
h1 { font-size: 15px; line-height: 1.3 }
h1 a { text-decoration: none }
dl { display: grid; grid-template-columns: 7em minmax(0, 1fr); gap: 3px 12px; margin: 10px 0 }
dt, footer { color: light-dark(#565e51, #a0a89b) }
footer { font-size: 12px }`

const cardHtml = (title: string, body: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title>
<style>${style}</style>
${body}
</html>
`

/** For frames on other sites. */
export function cardPage({ title, path, facts }: Summary, origin: string, network: string): string {
  const rows = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)
  const url = escapeHtml(origin + path)
  return cardHtml(
    title,
    `<main><h1><a href="${url}" target="_blank" rel="noopener">${escapeHtml(title)}</a></h1>
<dl>${rows.join('\n')}</dl></main>
<footer>${escapeHtml(network)}, <a href="${url}" target="_blank" rel="noopener">open in flowfarm</a></footer>`,
  )
}

export function missingCardPage(): string {
  return cardHtml('Not found', '<main><h1>Not found</h1><p>This item is not indexed.</p></main>')
}
