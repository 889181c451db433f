import type { ModelSettings } from './settings.ts'

export type MaskSecrets = (text: string) => string

/** Shorter secrets are masked only as a whole. */
const fragmentLength = 8
const maxTextLength = 200_000

const mask = '…'

/**
 * Masks the key of a model, and credentials in its address, in every form in which providers repeat
 * them.
 */
export function maskSecrets({ apiKey, baseUrl }: Pick<ModelSettings, 'apiKey' | 'baseUrl'>): MaskSecrets {
  const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...credentialsOf(baseUrl)].filter(
    (secret) => secret !== '',
  )
  const fragments = secrets.flatMap((secret) =>
    formsOf(secret)
      .filter((form) => form.length >= 4)
      .map((form) => fragmentsOf(form)),
  )
  const abbreviations = secrets.filter((secret) => secret.length >= fragmentLength).flatMap(abbreviationsOf)
  return (text) => {
    let masked = text.slice(0, maxTextLength)
    for (const each of fragments) masked = maskFragments(masked, each)
    for (const abbreviation of abbreviations) masked = masked.replace(abbreviation, mask)
    return masked
  }
}

/** Errors of the AI SDK carry the request and the reply. */
export function maskedError(error: unknown, maskText: MaskSecrets): Error {
  if (!(error instanceof Error)) return new Error(maskText(String(error)))
  const cause = error.cause === undefined ? {} : { cause: maskedError(error.cause, maskText) }
  const masked = new Error(maskText(error.message), cause)
  masked.name = error.name
  if (error.stack !== undefined) masked.stack = maskText(error.stack)
  return masked
}

function credentialsOf(address: string | undefined): readonly string[] {
  if (address === undefined || !URL.canParse(address)) return []
  const { username, password, searchParams } = new URL(address)
  return [username, password, decodeURIComponent(username), decodeURIComponent(password), ...searchParams.values()]
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const encoded = encodeURIComponent(secret)
  // Base64 encodes 3 bytes as 4 characters, so a secret has three forms, whose ends depend on the
  // neighbouring bytes.
  const base64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(before === 0 ? 0 : before + 1, -1),
  )
  const urls = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  const json = JSON.stringify(secret).slice(1, -1)
  return [...new Set([secret, encoded, encodeURIComponent(encoded), json, bytes.toString('hex'), ...base64, ...urls])]
}

interface Fragments {
  readonly length: number
  readonly all: ReadonlySet<string>
}

function fragmentsOf(form: string): Fragments {
  const lower = form.toLowerCase()
  const length = Math.min(fragmentLength, lower.length)
  const all = Array.from({ length: lower.length - length + 1 }, (_, at) => lower.slice(at, at + length))
  return { length, all: new Set(all) }
}

function maskFragments(text: string, { length, all }: Fragments): string {
  const lower = text.toLowerCase()
  // The lower case of some letters is longer, which shifts positions.
  const searched = lower.length === text.length ? lower : text
  let masked = ''
  let shownFrom = 0
  let maskedTo = -1
  for (let at = 0; at + length <= searched.length; at++) {
    if (!all.has(searched.slice(at, at + length))) continue
    if (at > maskedTo) {
      masked += text.slice(shownFrom, at) + mask
    }
    maskedTo = at + length
    shownFrom = maskedTo
  }
  return masked + text.slice(shownFrom)
}

/** Providers abbreviate keys as `sk-ab***wxyz`, `sk-a...xyz` or the last four characters. */
function abbreviationsOf(secret: string): readonly RegExp[] {
  const [head, tail] = [secret.slice(0, 3), secret.slice(-4)].map((part) => part.replaceAll(/[^\w]/g, '\\$&'))
  return [
    new RegExp(`${head}[^\\s'"]{0,40}?(?:[*•…]|\\.{2}|x{3})[^\\s'",]*`, 'gi'),
    // From the start of a run, else long runs take time with the square of their length.
    new RegExp(`(?<![*•….])[*•….]+[\\w-]{0,12}${tail}(?![A-Za-z0-9])`, 'g'),
    new RegExp(`(?<![A-Za-z0-9])${tail}(?![A-Za-z0-9])`, 'g'),
  ]
}
