import { parseAddress } from '../../flow/address.ts'
import { parsePublicKey } from '../accounts/queries.ts'

export const hitTypes = [
  'day',
  'block',
  'transaction',
  'evm_block',
  'evm_transaction',
  'account',
  'evm_address',
  'evm_token',
  'scheduled_transaction',
  'public_key',
  'node',
] as const
export type HitType = (typeof hitTypes)[number]

/** Kind of item that a link or a leading word names. */
export type SearchKind = HitType | 'contract' | 'token' | 'collection' | 'event_type'

/** Looked up by key. */
export type Reference =
  | { readonly form: 'number'; readonly value: number }
  | { readonly form: 'hash'; readonly digits: string }
  | { readonly form: 'account'; readonly address: string }
  | { readonly form: 'evm_address'; readonly digits: string }
  | { readonly form: 'public_key'; readonly digits: string }
  | { readonly form: 'shortened'; readonly start: string; readonly end: string }
  /** ISO 8601; without `to` a moment. */
  | { readonly form: 'time'; readonly from: string; readonly to?: string }

export interface SearchText {
  readonly kind: SearchKind | undefined
  readonly references: readonly Reference[]
  /** Undefined if the text cannot be a name or part of an identifier. */
  readonly name: string | undefined
  readonly item: { readonly collection: string; readonly id: string } | undefined
}

const nothing: SearchText = { kind: undefined, references: [], name: undefined, item: undefined }

export function parseSearchText(text: string): SearchText {
  const plain = cleanText(text)
  const link = parseLink(plain)
  if (link !== undefined) return link
  const [, evm, word = '', rest = ''] = /^(evm )?([a-z]+)(?::| ?#| ) ?(.+)$/i.exec(plain) ?? []
  const named = leadingWords.get(word.toLowerCase())
  const kind = evm === undefined ? named : evmKinds.get(named)
  const references = kind === undefined ? [] : parseReferences(rest)
  return references.length > 0 ? { ...nothing, kind, references } : parseValue(plain)
}

/** Quotes, brackets and invisible characters come with copied text. */
function cleanText(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s"'`<([{«“‘]+|[\s"'`>)\]}»”’,;:!?]+$/g, '')
}

function parseValue(text: string): SearchText {
  const identifier = parseIdentifier(text)
  if (identifier !== undefined) return identifier
  const item = /^(?=.*[^\d#/ ])(.*[^#/ ])(?: ?# ?| ?\/ ?| )(\d{1,20})$/.exec(text)
  const references = parseReferences(text)
  return {
    ...nothing,
    references,
    name: text === '' || references.some(isComplete) ? undefined : text,
    item:
      item === null || references.length > 0
        ? undefined
        : { collection: item[1] ?? '', id: String(BigInt(item[2] ?? '')) },
  }
}

/** Too long or too specific for a name. */
function isComplete(reference: Reference): boolean {
  if (reference.form === 'shortened') return reference.end !== ''
  return reference.form !== 'number' && reference.form !== 'account'
}

const usualTypes = /^(?:Vault|NFT|Collection)$/i

const identifierForm = new RegExp(
  [
    /^(?:A\.(?:0x)?(?=[0-9a-f]{1,16}\.)|0x|(?=[0-9a-f]{12,16}\.))([0-9a-f]{1,16})/,
    /\.([a-z_]\w*)(?:\.(\w+(?:\.\w+)*))?(?:(?:-| ?# ?|\/| )(\d{1,20}))?$/,
  ]
    .map((part) => part.source)
    .join(''),
  'i',
)

/** `A.<address>.<contract>`, optionally with a type, event or item, in the forms that explorers and users write. */
function parseIdentifier(text: string): SearchText | undefined {
  const [match, digits = '', contract = '', type, id] = identifierForm.exec(text) ?? []
  if (match === undefined) return undefined
  const name = `A.${digits.toLowerCase().padStart(16, '0')}.${contract}`
  if (id !== undefined) return { ...nothing, item: { collection: name, id: String(BigInt(id)) }, name }
  return { ...nothing, name: type === undefined || usualTypes.test(type) ? name : `${name}.${type}` }
}

function parseReferences(text: string): readonly Reference[] {
  const number = parseNumber(text)
  const time = parseTime(text)
  const shortened = parseShortened(text)
  const publicKey = parsePublicKey(text) ?? parseEncodedKey(text)
  return [
    ...(number === undefined ? [] : [{ form: 'number', value: number } as const]),
    ...(time === undefined ? [] : [time]),
    ...(publicKey === undefined ? [] : [{ form: 'public_key', digits: publicKey } as const]),
    ...(shortened === undefined ? [] : [shortened]),
    ...parseHex(text),
  ]
}

/** Groups of digits with separators (`1,234,567`, `1 234 567`, `1_234_567`, `1.234.567`, `1'234'567`), or `#123`. */
function parseNumber(text: string): number | undefined {
  const digits = text.replace(/^# ?/, '')
  const isGrouped = /^\d{1,3}([,'’ ])\d{2,3}(?:\1\d{2,3})*$/.test(digits) && /\d{3}$/.test(digits)
  if (!isGrouped && !/^(?:\d+(?:_\d+)*|\d{1,3}(?:\.\d{3})+)$/.test(digits)) return undefined
  const plain = digits.replaceAll(/\D/g, '')
  return plain.length <= 15 ? Number(plain) : undefined
}

function parseHex(text: string): readonly Reference[] {
  const [, prefix, match = ''] = /^(0x)?([0-9a-f]+)$/i.exec(text) ?? []
  const digits = match.toLowerCase()
  const isDecimal = prefix === undefined && /^\d+$/.test(digits) && digits.length < 16
  if (digits === '' || isDecimal) return []
  if (digits.length === 64) return [{ form: 'hash', digits }]
  if (digits.length === 40) return [{ form: 'evm_address', digits }]
  const account = digits.length <= 16 && (prefix !== undefined || digits.length > 3) ? parseAddress(digits) : undefined
  return [
    ...(account === undefined ? [] : [{ form: 'account', address: account } as const]),
    // Incomplete, as while typing.
    ...(digits.length >= minKnownDigits && digits.length < 64 && digits.length !== 16
      ? [{ form: 'shortened', start: digits, end: '' } as const]
      : []),
  ]
}

/** With fewer digits too many identifiers match. */
const minKnownDigits = 6

/**
 * `0xf8d6…20c7`, `abc123...def`, and `0x0…2fd4…9977` for a COA, whose address starts with 23 zeros.
 * NFKC turns `…` into dots.
 */
function parseShortened(text: string): Reference | undefined {
  const coa = /^0x0\.{2,}(2[0-9a-f]{2,15})\.{2,}([0-9a-f]{2,15})$/i.exec(text)
  const [, start = '', end = ''] = /^(?:0x)?([0-9a-f]{3,63}) ?(?:\.{2,}|\*) ?([0-9a-f]{0,61})$/i.exec(text) ?? []
  if (coa !== null) {
    const [, middle = '', last = ''] = coa
    return { form: 'shortened', start: `${'0'.repeat(23)}${middle.toLowerCase()}`, end: last.toLowerCase() }
  }
  if (start.length + end.length < minKnownDigits) return undefined
  return { form: 'shortened', start: start.toLowerCase(), end: end.toLowerCase() }
}

/** Base64 of a point, compressed point or SubjectPublicKeyInfo, and PEM. */
function parseEncodedKey(text: string): string | undefined {
  const body = text.replaceAll(/-----?[A-Z ]+-----?|\s/g, '')
  if (!/^[A-Za-z0-9+/_-]{43,128}={0,2}$/.test(body)) return undefined
  const bytes = Buffer.from(body, 'base64')
  const lengths = [33, 64, 65, 88, 91, 96]
  return lengths.includes(bytes.length) ? parsePublicKey(bytes.toString('hex')) : undefined
}

const dayMs = 86_400_000

/** A UTC day, or a moment; without an offset in UTC. */
function parseTime(text: string): Reference | undefined {
  const [, year, month, day, clock = '', zone = ''] =
    /^(\d{4})([-/])(\d{2})\2(\d{2})(?:(?:T| )(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d{2}:\d{2})?)?$/i
      .exec(text)
      ?.toSpliced(2, 1) ?? dateInWords(text)
  if (year === undefined) return undefined
  const date = `${year}-${month}-${day}`
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // JavaScript parses 30 February as 2 March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined
  if (clock === '') {
    return { form: 'time', from: new Date(midnight).toISOString(), to: new Date(midnight + dayMs).toISOString() }
  }
  const moment = Date.parse(`${date}T${clock}${/^[+-]/.test(zone) ? zone : 'Z'}`)
  return Number.isNaN(moment) ? undefined : { form: 'time', from: new Date(moment).toISOString() }
}

const months = 'january february march april may june july august september october november december'.split(' ')

/** `20 Nov 2026`, `November 20, 2026`. */
function dateInWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[a-z]+|\d+/g) ?? []
  const [first = '', second = '', year = ''] = words
  if (words.length !== 3 || !/^\d{4}$/.test(year) || !/^[a-z\d ,.]+$/i.test(text)) return []
  const [day, name] = /^\d/.test(first) ? [first, second] : [second, first]
  const month = name.length < 3 ? -1 : months.findIndex((full) => full.startsWith(name))
  return month < 0 || !/^\d{1,2}$/.test(day)
    ? []
    : [text, year, String(month + 1).padStart(2, '0'), day.padStart(2, '0')]
}

const leadingWords: ReadonlyMap<string, SearchKind> = new Map(
  Object.entries({
    block: 'block',
    height: 'block',
    tx: 'transaction',
    transaction: 'transaction',
    account: 'account',
    address: 'account',
    node: 'node',
    key: 'public_key',
    scheduled: 'scheduled_transaction',
  } as const),
)

const pathWords: ReadonlyMap<string, SearchKind> = new Map(
  Object.entries({
    contract: 'contract',
    token: 'token',
    ft: 'token',
    nft: 'collection',
    collection: 'collection',
    event: 'event_type',
    'scheduled-transaction': 'scheduled_transaction',
  } as const),
)

const evmKinds: ReadonlyMap<SearchKind | undefined, SearchKind> = new Map([
  ['block', 'evm_block'],
  ['transaction', 'evm_transaction'],
  ['account', 'evm_address'],
  ['contract', 'evm_address'],
  ['token', 'evm_token'],
  ['collection', 'evm_token'],
])

const maxSegments = 12

/**
 * Explorers agree on paths of a kind and an identifier: `/tx/<id>`, `/evm/token/0x…`, `/ft/token/A.….Vault`,
 * `/nft/A.….NFT/token/A.….NFT-7`, `/block/7`.
 */
function parseLink(text: string): SearchText | undefined {
  const isLink = /^(?:https?:\/\/|www\.|\/)|^(?!A\.)[a-z0-9-]+(?:\.[a-z0-9-]+)*(?:\.[a-z]{2,}|:\d+)\//i.test(text)
  if (!isLink) return undefined
  const url = URL.parse(/^https?:/i.test(text) ? text : text.startsWith('/') ? `http://host${text}` : `http://${text}`)
  if (url === null) return nothing
  const segments = url.pathname.split('/').filter(Boolean).slice(0, maxSegments).map(decodeSegment)
  let kind: SearchKind | undefined
  let found: SearchText | undefined
  for (const segment of segments) {
    const word = segment.toLowerCase().replace(/(?<!s)s$/, '')
    const value = found === undefined ? parseValue(cleanText(segment)) : undefined
    const isReference = value !== undefined && (value.references.length > 0 || value.name?.startsWith('A.') === true)
    if (isReference) found = value
    else if (found === undefined) kind = pathWords.get(word) ?? leadingWords.get(word) ?? kind
    else if (kind === 'collection') found = itemOf(found, segment) ?? found
  }
  if (found === undefined) return nothing
  const isEvm = url.hostname.startsWith('evm') || segments[0] === 'evm' || found.references[0]?.form === 'evm_address'
  return { ...found, kind: isEvm ? (evmKinds.get(kind) ?? kind) : kind }
}

function itemOf({ name = '' }: SearchText, segment: string): SearchText | undefined {
  const value = /^\d{1,20}$/.test(segment) ? parseIdentifier(`${name}#${segment}`) : parseIdentifier(segment)
  return value?.item === undefined ? undefined : value
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
