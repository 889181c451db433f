import { createHash } from 'node:crypto'
import { escapeHtml } from '../../platform/http/not-found-page.ts'

export interface LinkPage {
  readonly status: number
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:Canvas;color:CanvasText}
main{max-width:26rem;padding:2rem;text-align:center}
h1{font-size:1.4rem;margin:0 0 .75rem}
p{margin:.5rem 0;overflow-wrap:anywhere}
button{font:inherit;font-weight:600;margin-top:1.25rem;padding:.7rem 1.6rem;border:0;border-radius:.6rem;
background:#0b6e4f;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid #58b894;outline-offset:2px}small{opacity:.75}`
const styleHash = createHash('sha256').update(style).digest('base64')

/**
 * Only its button signs in, because mail scanners open links. @param goesTo whose origin the form
 * must allow
 */
export function signInPage({
  name,
  email,
  token,
  goesTo,
}: {
  readonly name: string
  readonly email: string
  readonly token: string
  readonly goesTo: string
}): LinkPage {
  return page({
    status: 200,
    name,
    formTargets: ["'self'", new URL(goesTo).origin],
    content: `<h1>Sign in to ${escapeHtml(name)}</h1><p>as <b>${escapeHtml(email)}</b></p>
<form method="post" action="verify">
<input type="hidden" name="token" value="${escapeHtml(token)}"><button>Sign in</button></form>
<p><small>If you did not ask for this e-mail, close this page: nothing has happened.</small></p>`,
  })
}

export function refusalPage({
  name,
  status,
  message,
}: {
  readonly name: string
  readonly status: number
  readonly message: string
}): LinkPage {
  return page({
    status,
    name,
    formTargets: ["'none'"],
    content: `<h1>Sign-in failed</h1><p>${escapeHtml(message)}</p>`,
  })
}

function page({
  status,
  name,
  formTargets,
  content,
}: {
  status: number
  name: string
  formTargets: readonly string[]
  content: string
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
