import { jsonSchema } from 'ai'
import type { Schema } from 'ai'
import { z } from 'zod'

/**
 * The arguments of a tool as a model is told of them. They are checked by the tool itself (`parseBody`) rather than by the SDK, so that what is
 * wrong with them comes back in words that a model can act on. Of a union its first form is told: the others are let through and not asked for.
 */
export function toldInput(schema: z.ZodType): Schema {
  const { $schema: _dialect, ...told } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema: node }) => {
      const [first] = node.anyOf ?? []
      if (first === undefined) return
      delete node.anyOf
      Object.assign(node, first)
    },
  })
  return jsonSchema(told)
}
