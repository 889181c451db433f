import { escapeHtml } from '../../../base/http/escape-html.ts'
import type { Mail } from './mail.ts'

/** The e-mail with a link and a code, either of which signs in. The code stands in the text, not in the subject that locked screens show. */
export function signInMail({
  to,
  name,
  link,
  code,
}: {
  readonly to: string
  readonly name: string
  readonly link: string
  readonly code: string
}): Mail {
  const text = `Your code for ${name}:

    ${code}

Type it where you asked for it. Or open this link, and press the button on its page:

${link}

Both are good for one hour, and once. Nobody from ${name} will ever ask you for them. If you did not ask for this e-mail, do nothing: nobody
can sign in without it.
`
  const html = `<p>Your code for ${escapeHtml(name)}:</p>
<p style="font-size:28px;letter-spacing:6px;font-family:monospace"><b>${escapeHtml(code)}</b></p>
<p>Type it where you asked for it. Or <a href="${escapeHtml(link)}">open this link</a>, and press the button on its page.</p>
<p style="color:#555">Both are good for one hour, and once. Nobody from ${escapeHtml(name)} will ever ask you for them. If you did not ask for this e-mail,
do nothing: nobody can sign in without it.</p>
`
  return { to, subject: `Sign in to ${name}`, text, html }
}

/** Told to people when an account elsewhere begins to lead to theirs. */
export function identityAddedMail({
  to,
  name,
  provider,
}: {
  readonly to: string
  readonly name: string
  readonly provider: string
}): Mail {
  const said = provider === 'github' ? 'GitHub' : provider === 'google' ? 'Google' : 'this e-mail address'
  const text = `Your account at ${name} can now be signed in to with ${said}, which was done a moment ago. If that was not you, secure that account, then sign out everywhere.\n`
  return { to, subject: `New way to sign in to ${name}`, text, html: `<p>${escapeHtml(text)}</p>` }
}
