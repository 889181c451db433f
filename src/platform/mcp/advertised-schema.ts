import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'

/**
 * A schema that is turned into JSON Schema once. Every request has a server of its own, and each would do it anew for the tool
 * that is called, which takes longer than the rest of a call.
 */
export function advertised<Schema extends z.ZodType>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const standard = schema['~standard']
  const { jsonSchema } = standard
  return {
    '~standard': { ...standard, jsonSchema: { input: once(jsonSchema.input), output: once(jsonSchema.output) } },
  }
}

/**
 * The schema of a tool's arguments: told to clients as it is, and checked by the tool itself, which tells what is wrong with them in the
 * structure of its failures. The SDK would tell it as text alone.
 */
export function advertisedInput(schema: z.ZodType): StandardSchemaWithJSON<unknown, unknown> {
  const { '~standard': standard } = advertised(schema)
  return { '~standard': { ...standard, validate: (value) => ({ value }) } }
}

type Convert<Options> = (options: Options) => Record<string, unknown>

function once<Options extends { readonly target: string }>(convert: Convert<Options>): Convert<Options> {
  const converted = new Map<string, Record<string, unknown>>()
  return (options) => {
    const known = converted.get(options.target) ?? convert(options)
    converted.set(options.target, known)
    return known
  }
}
