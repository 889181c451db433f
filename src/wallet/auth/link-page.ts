import { linkPage } from '../../platform/http/link-page.ts'
import type { LinkPage } from '../../platform/http/link-page.ts'
import { escapeHtml } from '../../platform/http/not-found-page.ts'

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
  return linkPage({
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
  return linkPage({
    status,
    name,
    formTargets: ["'none'"],
    content: `<h1>Sign-in failed</h1><p>${escapeHtml(message)}</p>`,
  })
}
