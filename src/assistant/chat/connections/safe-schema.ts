export interface InputSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

const maxLevels = 8
const maxProperties = 40
const maxChoices = 50
const maxForms = 10
const maxCharacters = 20_000
const maxWords = 1000

const types: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const
const plainName = /^(?!__)[A-Za-z_][A-Za-z0-9_.-]{0,63}$/

/** Names only: foreign tools could send sentences or addresses. */
const plainChoice = /^[\w.+-]{1,64}$/

/**
 * Keeps the parts of JSON Schema that every provider accepts: one refused schema would fail every
 * answer. Undefined if it is not an object schema, or too large.
 * @param keepsText keeps descriptions, which could contain instructions
 */
export function safeInputSchema(schema: unknown, keepsText: boolean): InputSchema | undefined {
  if (!isRecord(schema) || schema['type'] !== 'object') return undefined
  const safe = readObject(schema, keepsText, 0)
  return JSON.stringify(safe).length > maxCharacters ? undefined : safe
}

type Node = Record<string, unknown>

function readNode(schema: unknown, keepsText: boolean, level: number, isOptional = false): Node {
  if (!isRecord(schema) || level > maxLevels) return {}
  const forms = formsOf(schema)
  if (forms !== undefined) {
    const alternatives = isOptional ? forms.filter((form) => form['type'] !== 'null') : forms
    const read = alternatives.slice(0, maxForms).map((form) => readNode(form, keepsText, level + 1))
    const [only] = read
    return { ...(read.length > 1 ? { anyOf: read } : only), ...words(schema, keepsText) }
  }
  const node: Node = {
    ...readType(schema['type'], isOptional),
    ...readChoices(schema, keepsText),
    ...words(schema, keepsText),
  }
  for (const name of bounds) {
    const value = schema[name]
    if (typeof value === 'number' && Number.isFinite(value)) node[name] = value
  }
  if (includesType(node, 'array')) node['items'] = readNode(schema['items'], keepsText, level + 1)
  return includesType(node, 'object') ? { ...node, ...readObject(schema, keepsText, level) } : node
}

function formsOf(schema: Node, level = 0): readonly Node[] | undefined {
  const given = ['anyOf', 'oneOf'].map((name) => schema[name]).find((value) => Array.isArray(value))
  if (!Array.isArray(given) || given.length === 0) return undefined
  return given.filter(isRecord).flatMap((form) => (level < maxLevels ? formsOf(form, level + 1) : undefined) ?? [form])
}

function readObject(schema: Node, keepsText: boolean, level: number): InputSchema {
  const { properties, required, additionalProperties } = schema
  const known = isRecord(properties)
    ? Object.entries(properties)
        .filter(([name]) => plainName.test(name))
        .slice(0, maxProperties)
    : []
  const requiredNames = new Set<unknown>(Array.isArray(required) ? required : [])
  const needed = known.map(([name]) => name).filter((name) => requiredNames.has(name))
  return {
    type: 'object',
    // Some servers use null for an omitted field; models omit it.
    properties: Object.fromEntries(
      known.map(([name, value]) => [name, readNode(value, keepsText, level + 1, !requiredNames.has(name))]),
    ),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(typeof additionalProperties === 'boolean' ? { additionalProperties } : {}),
  }
}

function readType(type: unknown, isOptional: boolean): Node {
  if (types.has(type)) return { type }
  const known = Array.isArray(type) ? type.filter((each) => types.has(each) && !(isOptional && each === 'null')) : []
  return known.length === 0 ? {} : { type: known.length === 1 ? known[0] : known }
}

function readChoices(schema: Node, keepsText: boolean): Node {
  const given: unknown = 'const' in schema ? [schema['const']] : schema['enum']
  if (!Array.isArray(given)) return {}
  const isKept = (value: unknown): boolean =>
    typeof value === 'string'
      ? keepsText
        ? value.length <= 100
        : plainChoice.test(value)
      : typeof value === 'number' || typeof value === 'boolean' || value === null
  const kept = given.filter(isKept).slice(0, maxChoices)
  return kept.length === 0 ? {} : { enum: kept }
}

function words({ description }: Node, keepsText: boolean): Node {
  return keepsText && typeof description === 'string' ? { description: description.slice(0, maxWords) } : {}
}

function includesType(node: Node, type: string): boolean {
  return node['type'] === type || (Array.isArray(node['type']) && node['type'].includes(type))
}

function isRecord(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
