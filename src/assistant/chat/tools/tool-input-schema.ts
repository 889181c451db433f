import { jsonSchema } from 'ai'
import type { Schema } from 'ai'
import { z } from 'zod'

/**
 * Shows only the first alternative of a union. The tool checks its arguments itself, for error
 * messages that help the model.
 */
export function toolInputSchema(schema: z.ZodType): Schema {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema: node }) => {
      const [first] = node.anyOf ?? []
      if (first === undefined) return
      delete node.anyOf
      Object.assign(node, first)
    },
  })
  return jsonSchema(inputSchema)
}
