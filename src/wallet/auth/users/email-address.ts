/** Most characters of an e-mail address (RFC 5321). */
const mostCharacters = 254

/**
 * An e-mail address as it is kept: lower case, ASCII. Others are refused: letters that look alike or change by lower case would let one address
 * be taken for another. Undefined: it is none.
 */
export function readEmail(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined
  const text = given.trim()
  if (text.length > mostCharacters || !/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]+$/.test(text))
    return undefined
  const [name = '', host = ''] = text.split('@')
  if (name.startsWith('.') || name.endsWith('.') || name.includes('..')) return undefined
  const isHost = host
    .split('.')
    .every((label) => label.length <= 63 && /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/.test(label))
  return isHost && !/(^|\.)\d+$/.test(host) ? text.toLowerCase() : undefined
}

/**
 * The mailbox that an address most likely belongs to: without `+tag`, and for Gmail without dots too. Limits count
 * mailboxes; users and tokens belong to the address itself, since providers differ in what they ignore.
 * @param email as `readEmail` returns it
 */
export function mailboxOf(email: string): string {
  const [local = '', host = ''] = email.split('@')
  const [name = ''] = local.split('+')
  const kept = name === '' ? local : name
  return host === 'gmail.com' || host === 'googlemail.com' ? `${kept.replaceAll('.', '')}@gmail.com` : `${kept}@${host}`
}
