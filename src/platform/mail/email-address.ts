/** RFC 5321. */
const maxCharacters = 254

/** ASCII only, because look-alike letters could impersonate another address. Undefined: invalid. */
export function readEmail(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined
  const text = given.trim()
  if (text.length > maxCharacters || !/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]+$/.test(text))
    return undefined
  const [name = '', host = ''] = text.split('@')
  if (name.startsWith('.') || name.endsWith('.') || name.includes('..')) return undefined
  const isHost = host
    .split('.')
    .every((label) => label.length <= 63 && /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/.test(label))
  return isHost && !/(^|\.)\d+$/.test(host) ? text.toLowerCase() : undefined
}

/** Without `+tag`, for Gmail without dots. Only limits use it, because providers differ. */
export function mailboxOf(email: string): string {
  const [local = '', host = ''] = email.split('@')
  const [name = ''] = local.split('+')
  const kept = name === '' ? local : name
  return host === 'gmail.com' || host === 'googlemail.com' ? `${kept.replaceAll('.', '')}@gmail.com` : `${kept}@${host}`
}

/** `n…@example.com`, for readers who must not learn the whole address. */
export function maskEmail(email: string): string {
  const [local = '', host = ''] = email.split('@')
  return `${local.slice(0, 1)}…@${host}`
}
