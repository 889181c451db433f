import { tool } from 'ai'
import type { Tool } from 'ai'
import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { parseBody } from '../../../platform/http/parse-input.ts'
import type { Skill, Skills } from '../../skills/read-skills.ts'
import { toldInput } from './tool-input-schema.ts'

const schema = z.strictObject(
  {
    name: z
      .string('must be the name of a skill')
      .min(1, 'must be the name of a skill')
      .max(100, 'must be the name of a skill')
      .describe('As in the list of skills.'),
  },
  'must be an object with the name of a skill',
)

/** `loadSkill`: the text of a skill by name. Paths are neither accepted nor shown. */
export function loadSkill(skills: Skills): Tool<unknown, Pick<Skill, 'name' | 'content'>> {
  return tool({
    description:
      'Reads a skill: what is known about a field of questions, with examples that work. Read the one that ' +
      'fits before you write SQL or Cadence that you are not sure of; each once.',
    inputSchema: toldInput(schema),
    execute: (input) => {
      const { name } = parseBody(schema, input)
      const skill = skills.find(name)
      if (skill !== undefined) return { name: skill.name, content: skill.content }
      const names = skills.all.map((each) => each.name)
      throw new ApiError(
        404,
        'no-skill',
        `There is no such skill${names.length === 0 ? '; there is none here.' : `; there are: ${names.join(', ')}.`}`,
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
