import { jsonSchema } from 'ai'
import type { Schema } from 'ai'
import { z } from 'zod'

/**
 * The schema of a tool's arguments for the model. The tool itself checks them (`parseBody`) instead of the SDK, so
 * that its error messages are useful to the model. Of a union only the first alternative is shown; the others are
 * accepted too.
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
