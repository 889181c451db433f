import { tool } from 'ai'
import type { Tool } from 'ai'
import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { parseBody } from '../../../platform/http/parse-input.ts'
import type { Skill, Skills } from '../../read-skills.ts'
import { toolInputSchema } from './tool-input-schema.ts'

const schema = z.strictObject(
  {
    name: z
      .string('must be the name of a skill')
      .min(1, 'must be the name of a skill')
      .max(100, 'must be the name of a skill')
      .describe('Name from the list of skills.'),
  },
  'must be an object with the name of a skill',
)

/** Paths are neither accepted nor shown. */
export function loadSkill(skills: Skills): Tool<unknown, Pick<Skill, 'name' | 'content'>> {
  return tool({
    description:
      'Reads a skill: background for a subject, with tested examples. Read the one that fits before you write SQL ' +
      'or Cadence that you are unsure of, each skill once.',
    inputSchema: toolInputSchema(schema),
    execute: (input) => {
      const { name } = parseBody(schema, input)
      const skill = skills.find(name)
      if (skill !== undefined) return { name: skill.name, content: skill.content }
      const names = skills.all.map((each) => each.name)
      throw new ApiError(
        404,
        'no-skill',
        `No such skill. Available: ${names.length === 0 ? 'none' : names.join(', ')}.`,
      )
    },
    toModelOutput: ({ output }) => ({ type: 'text', value: contentOf(output) }),
  })
}

/** Outputs of earlier answers come from the client and are untrusted. */
function contentOf(output: unknown): string {
  const content: unknown = typeof output === 'object' && output !== null ? Reflect.get(output, 'content') : undefined
  return typeof content === 'string' ? content : ''
}
