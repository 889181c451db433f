import type { ReactNode } from 'react'
import type { CadenceValue } from '../run/argument-value.ts'

const max = 200
const maxBytes = 4096
const maxDepth = 40
/** From here on, parts are closed. */
export const closedDepth = 2

export function ValueTree({
  value,
  name,
  depth = 0,
}: {
  readonly value: unknown
  readonly name?: string
  readonly depth?: number
}): ReactNode {
  const { type, inner, parts } = readValue(value)
  const label = name === undefined ? null : <span className="value-name">{name}: </span>
  if (parts === undefined || depth > maxDepth) {
    return (
      <div className="value-line">
        {label}
        <span className="value-inner">{inner}</span> <span className="value-type">{type}</span>
      </div>
    )
  }
  if (parts.length === 0)
    return (
      <div className="value-line">
        {label}
        <span className="value-inner">{inner}</span> <span className="value-type">{type}</span>
      </div>
    )
  return (
    <details className="value-node" open={depth < closedDepth && parts.length <= 50}>
      <summary>
        {label}
        <span className="value-type">{type}</span>{' '}
        <span className="soft">
          {parts.length} {parts.length === 1 ? 'part' : 'parts'}
        </span>
      </summary>
      <div className="value-parts">
        {parts.slice(0, max).map(([part, one], at) => (
          <ValueTree key={at} name={part} value={one} depth={depth + 1} />
        ))}
        {parts.length > max && <div className="soft">{parts.length - max} more in the raw value.</div>}
      </div>
    </details>
  )
}

interface ReadValue {
  readonly type: string
  readonly inner: string
  readonly parts: readonly (readonly [name: string, value: unknown])[] | undefined
}

function readValue(value: unknown): ReadValue {
  if (typeof value !== 'object' || value === null || typeof (value as Partial<CadenceValue>).type !== 'string')
    return { type: '', inner: JSON.stringify(value) ?? '', parts: undefined }
  const { type, value: inner } = value as CadenceValue
  switch (type) {
    case 'Optional': {
      if (inner === null || inner === undefined) return { type: 'Optional', inner: 'nil', parts: undefined }
      const some = readValue(inner)
      return { ...some, type: `${some.type}?` }
    }
    case 'Array': {
      const bytes = bytesOf(inner)
      if (bytes !== undefined) return { type: 'bytes', inner: bytes, parts: undefined }
      return {
        type: 'Array',
        inner: '[]',
        parts: (Array.isArray(inner) ? (inner as unknown[]) : []).map((one, at) => [String(at), one]),
      }
    }
    case 'Dictionary':
      return {
        type,
        inner: '{}',
        parts: (Array.isArray(inner) ? (inner as { readonly key?: unknown; readonly value?: unknown }[]) : []).map(
          ({ key, value: one }) => [readValue(key).inner, one],
        ),
      }
    case 'Struct':
    case 'Resource':
    case 'Event':
    case 'Contract':
    case 'Enum': {
      const { id, fields } = (inner ?? {}) as {
        readonly id?: string
        readonly fields?: readonly { readonly name?: string; readonly value?: unknown }[]
      }
      return { type: id ?? type, inner: '{}', parts: (fields ?? []).map(({ name = '', value: one }) => [name, one]) }
    }
    case 'Void':
      return { type, inner: '()', parts: undefined }
    case 'String':
    case 'Character':
      return { type, inner: JSON.stringify(inner), parts: undefined }
    default:
      return {
        type,
        inner: typeof inner === 'string' || typeof inner === 'boolean' ? String(inner) : (JSON.stringify(inner) ?? ''),
        parts: undefined,
      }
  }
}

/** Hex, of a list of UInt8. */
function bytesOf(inner: unknown): string | undefined {
  if (!Array.isArray(inner) || inner.length === 0 || inner.length > maxBytes) return undefined
  let hex = '0x'
  for (const item of inner as readonly (CadenceValue | null)[]) {
    if (item?.type !== 'UInt8') return undefined
    hex += Number(item.value).toString(16).padStart(2, '0')
  }
  return hex
}
