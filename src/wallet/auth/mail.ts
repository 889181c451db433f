import { escapeHtml } from '../../platform/http/escape-html.ts'

/** An e-mail to one person. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Hands an e-mail on. @throws when it was not taken */
export type SendMail = (mail: Mail) => Promise<void>

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

/** E-mails about an account, beside those that sign in. */

interface Told {
  readonly to: string
  readonly name: string
}

/** To the address that somebody wants instead of theirs. */
export function emailChangeMail({
  to,
  name,
  link,
  code,
}: Told & { readonly link: string; readonly code: string }): Mail {
  const text = `Your code for the new e-mail address of your account at ${name}:

    ${code}

Type it where you asked for the change. Or open this link in the browser in which you are signed in, and press the button on its page:

${link}

Both are good for one hour. If you did not ask for this, do nothing: your address stays out of it.
`
  const html = `<p>Your code for the new e-mail address of your account at ${escapeHtml(name)}:</p>
<p style="font-size:28px;letter-spacing:6px;font-family:monospace"><b>${escapeHtml(code)}</b></p>
<p>Type it where you asked for the change. Or <a href="${escapeHtml(link)}">open this link</a> in the browser in which you are signed in, and press the button on its page.</p>
<p style="color:#555">Both are good for one hour. If you did not ask for this, do nothing: your address stays out of it.</p>
`
  return { to, subject: `New e-mail address at ${name}`, text, html }
}

/** To the owner of an address that somebody else wants, or they themselves, who forgot. */
export function addressTakenMail({ to, name }: Told): Mail {
  return plain(
    to,
    `New e-mail address at ${name}`,
    `Somebody wanted to use this e-mail address for another account at ${name}. It has an account already, so nothing was changed. If that was you, sign in by this address instead, or delete that account first.`,
  )
}

/** To the old address, when it is one no more. */
export function emailChangedMail({ to, name, newEmail }: Told & { readonly newEmail: string }): Mail {
  return plain(
    to,
    `E-mail address changed at ${name}`,
    `The e-mail address of your account at ${name} was changed to ${hidden(newEmail)} a moment ago. This address signs in there no more. If that was not you, sign in by your passkey, sign out everywhere, and change it back.`,
  )
}

/** When an account is gone. */
export function userRemovedMail({ to, name, from }: Told & { readonly from: string }): Mail {
  return plain(
    to,
    `Account deleted at ${name}`,
    `Your account at ${name} was deleted a moment ago, from ${from}. Accounts on Flow are not deleted by that: your passkeys are still their keys.`,
  )
}

export type PasskeyMailEvent = 'added' | 'removed' | 'restored'

/** After every change of the passkeys of a user. */
export function passkeyMail({
  to,
  name,
  event,
  from,
}: Told & { readonly event: PasskeyMailEvent; readonly from: string }): Mail {
  const remedies: Readonly<Record<PasskeyMailEvent, string>> = {
    added: 'sign in by another passkey, remove the new one, and sign out everywhere.',
    removed:
      'sign in by the removed passkey: while one of your accounts has its key, this brings it back. Then sign out everywhere.',
    restored: 'revoke its keys on your accounts, remove it again, and sign out everywhere.',
  }
  return plain(
    to,
    `Passkey ${event} at ${name}`,
    `A passkey of your user at ${name} was ${event} a moment ago, from ${from}. If that was not you, ${remedies[event]}`,
  )
}

function plain(to: string, subject: string, sentence: string): Mail {
  return { to, subject, text: `${sentence}\n`, html: `<p>${escapeHtml(sentence)}</p>` }
}

/** `n…@example.com`: whoever reads an old mailbox need not know all of the new one. */
function hidden(email: string): string {
  const [local = '', host = ''] = email.split('@')
  return `${local.slice(0, 1)}…@${host}`
}
