import { hexOf } from '../../../clients/signing/bytes.ts'
import type { Bytes } from '../../../clients/signing/bytes.ts'

/** An argument of a transaction as people read it. */
export interface ReadableValue {
  /** Of Cadence, as far as JSON-CDC tells: `UFix64`, `[Address]`. */
  readonly type: string
  readonly text: string
}

const maxDepth = 32
const wholeNumber = /^-?\d+$/
const decimalNumber = /^-?\d+\.\d+$/

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads an argument in JSON-CDC. Whatever is not as JSON-CDC has it is shown as it came, as JSON of the type `unknown`.
 * @param argument parsed JSON
 */
export function readCadenceValue(argument: unknown): ReadableValue {
  return read(argument, 0) ?? { type: 'unknown', text: visibleText(JSON.stringify(argument) ?? 'nothing') }
}

/** Undefined if any part is not JSON-CDC: values are never shown in part. */
function read(argument: unknown, depth: number): ReadableValue | undefined {
  const fields = fieldsOf(argument)
  const { type, value } = fields ?? {}
  if (
    fields === undefined ||
    typeof type !== 'string' ||
    depth > maxDepth ||
    Object.keys(fields).some((name) => name !== 'type' && name !== 'value')
  )
    return undefined
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined
  if (reader !== undefined) return reader(value, depth + 1)
  const text = scalarText(type, value)
  return text === undefined ? undefined : { type, text }
}

function scalarText(type: string, value: unknown): string | undefined {
  if (type === 'Bool') return typeof value === 'boolean' ? String(value) : undefined
  if (typeof value !== 'string') return undefined
  if (type === 'String' || type === 'Character') return visibleText(JSON.stringify(value))
  if (type === 'Address') return /^0x[0-9a-f]{1,16}$/i.test(value) ? value.toLowerCase() : undefined
  if (/^(?:Int|UInt|Word)(?:8|16|32|64|128|256)?$/.test(type)) return wholeNumber.test(value) ? value : undefined
  if (/^U?Fix(?:64|128)$/.test(type)) return decimalNumber.test(value) ? value : undefined
  return undefined
}

const composite = (value: unknown, depth: number): ReadableValue | undefined => {
  const { id, fields } = fieldsOf(value) ?? {}
  if (typeof id !== 'string' || !Array.isArray(fields)) return undefined
  const parts = allOf(fields, (field) => {
    const { name, value: inner } = fieldsOf(field) ?? {}
    const shown = read(inner, depth)
    return typeof name === 'string' && shown !== undefined ? `${visibleText(name)}: ${shown.text}` : undefined
  })
  return parts === undefined ? undefined : { type: visibleText(id), text: `${visibleText(id)}(${parts.join(', ')})` }
}

const readers: Readonly<Record<string, (value: unknown, depth: number) => ReadableValue | undefined>> = {
  Void: () => ({ type: 'Void', text: '()' }),
  Optional: (value, depth) => {
    if (value === null) return { type: 'Optional', text: 'nil' }
    const inner = read(value, depth)
    return inner === undefined ? undefined : { type: `${inner.type}?`, text: inner.text }
  },
  Array: (value, depth) => {
    const items = Array.isArray(value) ? allOf(value, (item) => read(item, depth)) : undefined
    return items === undefined
      ? undefined
      : { type: `[${commonType(items)}]`, text: `[${items.map(({ text }) => text).join(', ')}]` }
  },
  Dictionary: (value, depth) => {
    const entries = Array.isArray(value)
      ? allOf(value, (entry) => {
          const { key, value: inner } = fieldsOf(entry) ?? {}
          const [name, content] = [read(key, depth), read(inner, depth)]
          return name === undefined || content === undefined ? undefined : { name, content }
        })
      : undefined
    if (entries === undefined) return undefined
    const keyType = commonType(entries.map(({ name }) => name))
    const types = `{${keyType}: ${commonType(entries.map(({ content }) => content))}}`
    return { type: types, text: `{${entries.map(({ name, content }) => `${name.text}: ${content.text}`).join(', ')}}` }
  },
  Path: (value) => {
    const { domain, identifier } = fieldsOf(value) ?? {}
    return typeof domain !== 'string' || typeof identifier !== 'string'
      ? undefined
      : { type: 'Path', text: visibleText(`/${domain}/${identifier}`) }
  },
  Struct: composite,
  Resource: composite,
  Event: composite,
  Contract: composite,
  Enum: composite,
}

function commonType(values: readonly ReadableValue[]): string {
  const types = new Set(values.map(({ type }) => type))
  return types.size === 0 ? '' : types.size === 1 ? [...types].join('') : 'AnyStruct'
}

function allOf<In, Out>(items: readonly In[], of: (item: In) => Out | undefined): readonly Out[] | undefined {
  const read = items.map(of)
  return read.every((one) => one !== undefined) ? read : undefined
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** What an application wants to have signed, as people read it. */
export type ReadableMessage =
  /** `isAltered`: characters that cannot be seen are written out in `text`. */
  | { readonly kind: 'text'; readonly text: string; readonly isAltered: boolean }
  | { readonly kind: 'bytes'; readonly hex: string }

/** A message as text if it is text, else as hex. Hidden characters are escaped, except CRLF. */
export function readableMessage(bytes: Bytes): ReadableMessage {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { kind: 'bytes', hex: hexOf(bytes) }
  }
  const plain = text.replaceAll('\r\n', '\n')
  // Among many such characters there is hardly a text: random bytes may be valid UTF-8.
  const shown = visibleText(plain)
  if (/[\0-\x08\x0E-\x1F]/.test(plain) || plain.trim() === '') return { kind: 'bytes', hex: hexOf(bytes) }
  return { kind: 'text', text: shown, isAltered: hasHiddenCharacters(plain) }
}

/**
 * Characters that are not seen, or that change how others are: controls, those that turn the direction of writing,
 * those without width, unassigned ones. Line breaks and tabs are none of these, nor is what makes a sign an emoji.
 */
const hidden = /[^\P{C}\n\t]|\p{Zl}|\p{Zp}|(?!\uFE0F)\p{Default_Ignorable_Code_Point}|[\u2800\u{1D159}]/u
const allHidden = new RegExp(hidden.source, 'gu')

/** Whether a text is not what it looks like. */
export function hasHiddenCharacters(text: string): boolean {
  return hidden.test(text)
}

/** The text with what cannot be seen written out: `pay⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text.replace(
    allHidden,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
