import { hexOf } from '../../../clients/signing/bytes.ts'
import type { Bytes } from '../../../clients/signing/bytes.ts'

export interface ReadableValue {
  /** Cadence type as far as JSON-CDC has it: `UFix64`, `[Address]`. */
  readonly type: string
  readonly text: string
}

const maxDepth = 32
const wholeNumber = /^-?\d+$/
const decimalNumber = /^-?\d+\.\d+$/

type Fields = Readonly<Record<string, unknown>>

/** Other values are shown as JSON, with type `unknown`. @param argument parsed JSON */
export function readCadenceValue(argument: unknown): ReadableValue {
  return read(argument, 0) ?? { type: 'unknown', text: visibleText(JSON.stringify(argument) ?? 'undefined') }
}

/** Undefined if any part is not JSON-CDC. */
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

export type ReadableMessage =
  | { readonly kind: 'text'; readonly text: string; readonly isAltered: boolean }
  | { readonly kind: 'bytes'; readonly hex: string }

/** Text or hex. Hidden characters are escaped, except CRLF. */
export function readableMessage(bytes: Bytes): ReadableMessage {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { kind: 'bytes', hex: hexOf(bytes) }
  }
  const plain = text.replaceAll('\r\n', '\n')
  // Random bytes may be valid UTF-8, but then they have control characters.
  const shown = visibleText(plain)
  if (/[\0-\x08\x0E-\x1F]/.test(plain) || plain.trim() === '') return { kind: 'bytes', hex: hexOf(bytes) }
  return { kind: 'text', text: shown, isAltered: hasHiddenCharacters(plain) }
}

/**
 * Controls, bidirectional marks, zero-width and unassigned characters. Line breaks, tabs and emoji
 * joiners are not included.
 */
const hidden = /[^\P{C}\n\t]|\p{Zl}|\p{Zp}|(?!\uFE0F)\p{Default_Ignorable_Code_Point}|[\u2800\u{1D159}]/u
const allHidden = new RegExp(hidden.source, 'gu')

export function hasHiddenCharacters(text: string): boolean {
  return hidden.test(text)
}

/** `pay⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text.replace(
    allHidden,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
