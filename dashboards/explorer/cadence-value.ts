interface TypedValue {
  readonly type: string
  readonly value?: unknown
}

/**
 * Numbers and addresses become strings, bytes hex digits, composites objects; the rest is
 * unchanged.
 */
export function plainValue(value: unknown): unknown {
  if (!isTyped(value)) return value
  const inner = value.value
  switch (value.type) {
    case 'Optional':
      return inner === null || inner === undefined ? null : plainValue(inner)
    case 'Array':
      return isList(inner) ? plainList(inner) : inner
    case 'Dictionary':
      return isList(inner) ? plainDictionary(inner) : inner
    case 'Struct':
    case 'Resource':
    case 'Event':
    case 'Contract':
    case 'Enum':
      return plainComposite(inner)
    case 'Path': {
      const { domain = '', identifier = '' } = (inner ?? {}) as { domain?: string; identifier?: string }
      return `/${domain}/${identifier}`
    }
    case 'Type':
      return typeName((inner as { staticType?: unknown } | undefined)?.staticType)
    case 'Void':
      return null
    default:
      return inner
  }
}

function isTyped(value: unknown): value is TypedValue {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function plainList(values: readonly unknown[]): unknown {
  const isBytes = values.length > 0 && values.every((each) => isTyped(each) && each.type === 'UInt8')
  if (!isBytes) return values.map(plainValue)
  const digits = values.map((each) =>
    Number((each as TypedValue).value)
      .toString(16)
      .padStart(2, '0'),
  )
  return `0x${digits.join('')}`
}

function plainDictionary(entries: readonly unknown[]): unknown {
  const pairs = entries.map((entry) => {
    const { key, value } = entry as { key?: unknown; value?: unknown }
    const name = plainValue(key)
    return [typeof name === 'string' ? name : JSON.stringify(name), plainValue(value)] as const
  })
  return Object.fromEntries(pairs)
}

function plainComposite(inner: unknown): unknown {
  const { fields } = (inner ?? {}) as { fields?: unknown }
  if (!isList(fields)) return inner
  return Object.fromEntries(
    fields.map((field) => {
      const { name = '', value } = field as { name?: string; value?: unknown }
      return [name, plainValue(value)]
    }),
  )
}

function typeName(type: unknown): unknown {
  if (typeof type !== 'object' || type === null) return type
  const { typeID, kind } = type as { typeID?: string; kind?: string }
  return typeID !== undefined && typeID !== '' ? typeID : kind
}
