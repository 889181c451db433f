import { expect } from 'chai'
import type { Skills } from '../../read-skills.ts'
import { loadSkill } from './load-skill.ts'

const all = [
  { name: 'cadence', description: 'The language.', content: '# Cadence' },
  { name: 'token-questions', description: 'Tokens.', content: '# Tokens' },
]
const skills: Skills = { all, find: (name) => all.find((skill) => skill.name === name.toLowerCase()) }

const load = (input: unknown, from: Skills = skills): unknown => {
  const { execute } = loadSkill(from)
  if (execute === undefined) throw new Error('there is nothing to run')
  return execute(input, { toolCallId: '1', messages: [], context: {} })
}

describe('loadSkill', () => {
  it('returns a skill by name without its location', () => {
    expect(load({ name: 'Cadence' })).to.deep.equal({ name: 'cadence', content: '# Cadence' })
  })

  it('lists the available skills when the name is unknown', () => {
    for (const name of ['cadance', '../cadence', '/etc/passwd', 'constructor']) {
      expect(() => load({ name }), name).to.throw('No such skill. Available: cadence, token-questions.')
    }
    expect(() => load({ name: 'cadence' }, { all: [], find: () => undefined })).to.throw(
      'No such skill. Available: none',
    )
  })

  it('rejects an invalid input', () => {
    for (const input of [{}, { name: 7 }, { name: '' }, { name: 'x'.repeat(101) }])
      expect(() => load(input)).to.throw('Field "name" must be the name of a skill.')
    expect(() => load({ name: 'cadence', path: '/' })).to.throw('Field "path" is unknown')
  })

  it('passes the text to the model unchanged and ignores an invalid output', async () => {
    const { toModelOutput } = loadSkill(skills)
    const reported = async (output: unknown): Promise<unknown> =>
      toModelOutput?.({ toolCallId: '1', input: {}, output: output as { name: string; content: string } })
    expect(await reported({ name: 'cadence', content: '# Cadence\n"quoted"' })).to.deep.equal({
      type: 'text',
      value: '# Cadence\n"quoted"',
    })
    for (const output of [undefined, null, 'text', { content: 1 }])
      expect(await reported(output)).to.deep.equal({ type: 'text', value: '' })
  })
})
