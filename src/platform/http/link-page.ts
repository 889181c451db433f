import { createHash } from 'node:crypto'
import { escapeHtml } from './not-found-page.ts'

export interface LinkPage {
  readonly status: number
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:Canvas;color:CanvasText}
main{max-width:26rem;padding:2rem;text-align:center;overflow-wrap:anywhere}
h1{font-size:1.4rem;margin:0 0 .75rem}
p{margin:.5rem 0}
button{font:inherit;font-weight:600;margin-top:1.25rem;padding:.7rem 1.6rem;border:0;border-radius:.6rem;
background:#0b6e4f;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid #58b894;outline-offset:2px}small{opacity:.75}
button.plain{background:none;color:inherit;font-weight:400;text-decoration:underline}
pre{max-height:14rem;overflow:auto;text-align:left;white-space:pre-wrap;overflow-wrap:anywhere;padding:.75rem;
border:1px solid GrayText;border-radius:.5rem;font-size:.875rem}`
const styleHash = createHash('sha256').update(style).digest('base64')

/** A page of an e-mailed link. @param content HTML */
export function linkPage({
  status,
  name,
  formTargets,
  content,
}: {
  readonly status: number
  readonly name: string
  readonly formTargets: readonly string[]
  readonly content: string
}): LinkPage {
  return {
    status,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(name)}</title><style>${style}</style></head>
<body><main>${content}</main></body></html>`,
    headers: {
      'Content-Security-Policy':
        `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ` +
        `${formTargets.join(' ')}; ` +
        'base-uri ' +
        `'none'; frame-ancestors 'none'`,
      'Content-Type': 'text/html; charset=utf-8',
      // The URL contains the token, but the form needs Origin, which `no-referrer` suppresses.
      'Referrer-Policy': 'same-origin',
    },
  }
}
