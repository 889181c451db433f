import { z } from 'zod'

/**
 * Parameters of a route for the API's description: what may be sent, which is not always what the handler gets. A schema that
 * turns text into something else is described by the text where it says which, and else by what it makes of it: `limit` is
 * an integer.
 */
export function describeParameters(schemas: z.ZodObject, place: 'path' | 'query'): Record<string, unknown>[] {
  return Object.entries(schemas.shape).map(([name, part]) => {
    const schema = part as z.ZodType
    const {
      $schema: _dialect,
      description,
      ...described
    } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' })
    // Undefined, where there is a default for it, is what is there without the parameter.
    const omitted = schema.safeParse(undefined)
    return {
      name,
      in: place,
      required: place === 'path' || !omitted.success,
      ...(description === undefined ? {} : { description }),
      schema: { ...(omitted.data === undefined ? {} : { default: omitted.data }), ...withPlainClasses(described) },
    }
  })
}

/** Tools that are not written in JavaScript take `\d` for the digits of all scripts, and `\w` for letters of all. */
export function withPlainClasses(schema: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === 'pattern' && typeof value === 'string' ? plain(value) : value,
  )
  return JSON.parse(text) as Record<string, unknown>
}

function plain(pattern: string): string {
  const ranges: Readonly<Record<string, string>> = { d: '0-9', w: 'A-Za-z0-9_' }
  let isInClass = false
  return pattern.replaceAll(/\\?[^]/gu, (part) => {
    if (part === '[' || part === ']') isInClass = part === '['
    const range = part.startsWith('\\') ? ranges[part.slice(1)] : undefined
    if (range === undefined) return part
    return isInClass ? range : `[${range}]`
  })
}
