import { escapeHtml } from '../../platform/http/not-found-page.ts'
import { maskEmail } from '../../platform/mail/email-address.ts'
import type { Mail } from '../../platform/mail/mail-sender.ts'

/** Lock screens show subjects, so the code is not there. */
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

Enter it where you requested it, or open this link and confirm:

${link}

The code and the link expire in one hour and work once. ${name} will never ask you for them.
If you did not request this e-mail, ignore it.
`
  const html = `<p>Your code for ${escapeHtml(name)}:</p>
<p style="font-size:28px;letter-spacing:6px;font-family:monospace"><b>${escapeHtml(code)}</b></p>
<p>Enter it where you requested it, or
<a href="${escapeHtml(link)}">open this link</a> and confirm.</p>
<p style="color:#555">The code and the link expire in one hour and work once.
${escapeHtml(name)} will never ask you for them.
If you did not request this e-mail, ignore it.</p>
`
  return { to, subject: `Sign in to ${name}`, text, html }
}

export function identityAddedMail({
  to,
  name,
  provider,
}: {
  readonly to: string
  readonly name: string
  readonly provider: string
}): Mail {
  const providerName = provider === 'github' ? 'GitHub' : provider === 'google' ? 'Google' : 'this e-mail address'
  const text =
    `You can now sign in to your account at ${name} with ${providerName}. If you did not do this, secure that ` +
    'account, then ' +
    'sign out everywhere.\n'
  return { to, subject: `New way to sign in to ${name}`, text, html: `<p>${escapeHtml(text)}</p>` }
}

interface Notice {
  readonly to: string
  readonly name: string
}

export function emailChangeMail({
  to,
  name,
  link,
  code,
}: Notice & { readonly link: string; readonly code: string }): Mail {
  const text = `Your code for the new e-mail address of your account at ${name}:

    ${code}

Enter it where you requested the change, or open this link in the browser in which you are signed in and confirm:

${link}

The code and the link expire in one hour. If you did not request this change, ignore this e-mail.
`
  const html = `<p>Your code for the new e-mail address of your account at ${escapeHtml(name)}:</p>
<p style="font-size:28px;letter-spacing:6px;font-family:monospace"><b>${escapeHtml(code)}</b></p>
<p>Enter it where you requested the change, or <a href="${escapeHtml(link)}">open this link</a> in the browser in which
you are signed in and confirm.</p>
<p style="color:#555">The code and the link expire in one hour.
If you did not request this change, ignore this e-mail.</p>
`
  return { to, subject: `New e-mail address at ${name}`, text, html }
}

export function addressTakenMail({ to, name }: Notice): Mail {
  return plain(
    to,
    `New e-mail address at ${name}`,
    `Someone tried to use this e-mail address for another account at ${name}. The address already has an account, so ` +
      'nothing changed. If this was you, sign in with this address, or delete that account first.',
  )
}

export function emailChangedMail({ to, name, newEmail }: Notice & { readonly newEmail: string }): Mail {
  return plain(
    to,
    `E-mail address changed at ${name}`,
    `The e-mail address of your account at ${name} was changed to ${maskEmail(newEmail)}. You can no longer ` +
      'sign in with this address. If you did not do this, sign in with your passkey, sign out everywhere and ' +
      'change it back.',
  )
}

export function userRemovedMail({ to, name, from }: Notice & { readonly from: string }): Mail {
  return plain(
    to,
    `Account deleted at ${name}`,
    `Your account at ${name} was deleted from ${from}. Your accounts on Flow still exist: ` +
      'your passkeys remain their keys.',
  )
}

export type PasskeyMailEvent = 'added' | 'removed' | 'restored'

export function passkeyMail({
  to,
  name,
  event,
  from,
}: Notice & { readonly event: PasskeyMailEvent; readonly from: string }): Mail {
  const remedies: Readonly<Record<PasskeyMailEvent, string>> = {
    added: 'sign in with another passkey, remove the new one and sign out everywhere.',
    removed:
      'sign in with the removed passkey, which restores it while an account has its key. Then sign out ' +
      'everywhere.',
    restored: 'revoke its keys on your accounts, remove it again and sign out everywhere.',
  }
  return plain(
    to,
    `Passkey ${event} at ${name}`,
    `A passkey of your user at ${name} was ${event} from ${from}. If you did not do this, ` + remedies[event],
  )
}

export type RecoveryMailEvent = 'enabled' | 'disabled' | 'began' | 'was cancelled' | 'was used'

export function recoveryMail({
  to,
  name,
  event,
  from,
}: Notice & { readonly event: RecoveryMailEvent; readonly from: string }): Mail {
  const next: Readonly<Record<RecoveryMailEvent, string>> = {
    enabled:
      'After 24 hours of notice, anyone who reads this mailbox can register a passkey for your user. It becomes a ' +
      'key of a Flow account only if you switch that on for the account.',
    disabled: 'If you lose all passkeys, this mailbox no longer helps.',
    began:
      'In 24 hours, a new passkey is registered for your user, and becomes a key of the Flow accounts for which you ' +
      'switched that on. If you did not do this, sign in and cancel it on the Profile page, or sign in with a ' +
      'passkey, which cancels it.',
    'was cancelled': 'Nothing was changed.',
    'was used':
      'A passkey was registered for your user. It becomes a key of the Flow accounts for which you switched that on. ' +
      'If you did not do this, sign in with a passkey of yours, which ends that until it is done, revoke its keys, ' +
      'remove it and sign out everywhere.',
  }
  return plain(
    to,
    `Recovery by e-mail ${event} at ${name}`,
    `The recovery by e-mail of your user at ${name} ` +
      `${event === 'enabled' || event === 'disabled' ? `was ${event}` : event}, ` +
      `from ${from}. ${next[event]}`,
  )
}

export function foreignRecoveryMail({ to, name, address }: Notice & { readonly address: string }): Mail {
  return plain(
    to,
    `Key announced for ${address} without a recovery at ${name}`,
    `A key was announced for your Flow account ${address}, but no recovery by e-mail began at ${name}. The wallet ` +
      'cancels it. The key of its operator may be stolen: sign in with a passkey and switch off the recovery of the ' +
      'account on the Profile page within 24 hours.',
  )
}

export function keyChangeMail({
  to,
  name,
  change,
  address,
  from,
}: Notice & {
  readonly change: 'a key was added to' | 'a key was revoked on' | 'delayed recovery was switched on for'
  readonly address: string
  readonly from: string
}): Mail {
  return plain(
    to,
    `Keys of ${address} changed at ${name}`,
    `With one of your passkeys, ${change} your Flow account ${address}, from ${from}. If you did not do ` +
      'this, move what the account holds to another account, and revoke keys that you do not know.',
  )
}

/** Without the key's name, which a thief would choose. */
export function apiKeyMail({ to, name, from }: Notice & { readonly from: string }): Mail {
  return plain(
    to,
    `API key created at ${name}`,
    `A key of the explorer API was created for your user at ${name} from ${from}. If you did not do this, revoke it ` +
      'on the Profile page and sign out everywhere.',
  )
}

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg/, 'Edge'],
  [/OPR|Opera/, 'Opera'],
  [/SamsungBrowser/, 'Samsung Internet'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** In fixed words: the client chooses its user agent, and could write an e-mail with it. */
function browserOf(userAgent: string): string {
  const wordOf = (words: readonly (readonly [RegExp, string])[], fallback: string): string =>
    words.find(([pattern]) => pattern.test(userAgent))?.[1] ?? fallback
  return `${wordOf(browsers, 'an unknown program')} on ${wordOf(systems, 'an unknown system')}`
}

export function newClientMail(
  name: string,
  { address, userAgent }: { readonly address: string; readonly userAgent: string },
): Omit<Mail, 'to'> {
  const { to: _to, ...mail } = plain(
    '',
    `New sign-in to ${name}`,
    `Your user at ${name} was signed in from a new network or browser: ${address}, ${browserOf(userAgent)}. If you ` +
      'did not do this, secure this mailbox, then sign in with your passkey and sign out everywhere.',
  )
  return mail
}

function plain(to: string, subject: string, sentence: string): Mail {
  return { to, subject, text: `${sentence}\n`, html: `<p>${escapeHtml(sentence)}</p>` }
}
