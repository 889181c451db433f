import type { jsonSchema } from 'ai'

/** JSON Schema, as the AI SDK takes it. */
export type InputSchema = Exclude<Parameters<typeof jsonSchema>[0], PromiseLike<unknown> | ((...args: never) => unknown)>

/** Beyond these a schema says more than a tool of use has to. */
const mostLevels = 8
const mostProperties = 40
const mostChoices = 50
const mostCharacters = 20_000
const mostWords = 1000

const types: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const
const plainName = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/

/** Choices of a tool that is not ours: names, and nothing that could be a sentence. */
const plainChoice = /^[\w.:/+-]{1,64}$/

/**
 * The form of a tool's arguments, with those parts of JSON Schema that every provider takes: one that a provider refuses would fail every answer.
 * @param keepsWords descriptions are kept; otherwise there is nothing in it that a model could read as an instruction
 * @returns undefined where it is not that of an object, or too large
 */
export function safeInputSchema(schema: unknown, keepsWords: boolean): InputSchema | undefined {
  if (!isRecord(schema) || schema['type'] !== 'object') return undefined
  const safe = readObject(schema, keepsWords, 0)
  return JSON.stringify(safe).length > mostCharacters ? undefined : { ...safe, type: 'object' }
}

type Node = Record<string, unknown>

function readNode(schema: unknown, keepsWords: boolean, level: number): Node {
  if (!isRecord(schema) || level > mostLevels) return {}
  const choices = ['anyOf', 'oneOf'].map((name) => schema[name]).find((value) => Array.isArray(value))
  if (Array.isArray(choices)) {
    return { anyOf: choices.slice(0, 10).map((each) => readNode(each, keepsWords, level + 1)), ...words(schema, keepsWords) }
  }
  const node: Node = { ...readType(schema['type']), ...readChoices(schema, keepsWords), ...words(schema, keepsWords) }
  for (const name of bounds) {
    const value = schema[name]
    if (typeof value === 'number' && Number.isFinite(value)) node[name] = value
  }
  if (includesType(node, 'array')) node['items'] = readNode(schema['items'], keepsWords, level + 1)
  return includesType(node, 'object') ? { ...node, ...readObject(schema, keepsWords, level) } : node
}

function readObject(schema: Node, keepsWords: boolean, level: number): Node {
  const { properties, required, additionalProperties } = schema
  const known = isRecord(properties) ? Object.entries(properties).filter(([name]) => plainName.test(name)).slice(0, mostProperties) : []
  const names = new Set<unknown>(known.map(([name]) => name))
  return {
    type: schema['type'],
    properties: Object.fromEntries(known.map(([name, value]) => [name, readNode(value, keepsWords, level + 1)])),
    ...(Array.isArray(required) ? { required: [...new Set(required.filter((name) => names.has(name)))] } : {}),
    ...(typeof additionalProperties === 'boolean' ? { additionalProperties } : {}),
  }
}

function readType(type: unknown): Node {
  if (types.has(type)) return { type }
  const known = Array.isArray(type) ? type.filter((each) => types.has(each)) : []
  return known.length === 0 ? {} : { type: known }
}

function readChoices(schema: Node, keepsWords: boolean): Node {
  const given: unknown = 'const' in schema ? [schema['const']] : schema['enum']
  if (!Array.isArray(given)) return {}
  const isKept = (value: unknown): boolean => (
    typeof value === 'string' ? (keepsWords ? value.length <= 100 : plainChoice.test(value)) : typeof value === 'number' || typeof value === 'boolean' || value === null
  )
  const kept = given.filter(isKept).slice(0, mostChoices)
  return kept.length === 0 ? {} : { enum: kept }
}

function words({ description }: Node, keepsWords: boolean): Node {
  return keepsWords && typeof description === 'string' ? { description: description.slice(0, mostWords) } : {}
}

function includesType(node: Node, type: string): boolean {
  return node['type'] === type || (Array.isArray(node['type']) && node['type'].includes(type))
}

function isRecord(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
