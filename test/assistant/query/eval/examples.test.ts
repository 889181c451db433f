import { expect } from 'chai'
import { goldQuestions } from '../../../../scripts/eval/gold-questions.ts'
import { examplePairs } from '../../../../src/assistant/query/example-pairs.ts'
import { queryTargets } from '../../../../src/assistant/query/query-service.ts'
import { evaluatedWorld } from './evaluated-world.ts'
import type { EvaluatedWorld } from './evaluated-world.ts'

/** Columns of enrichment workers, which do not run here. */
const filledByEnrichment = new Set(['kind'])

describe('example questions in a database', () => {
  let world: EvaluatedWorld
  before(async () => {
    world = await evaluatedWorld()
  })

  for (const target of queryTargets) {
    it(`pass the gate for target ${target}, can be planned, and return values in every column`, async () => {
      const { known, other } = databasesOf(world, target)
      const examples = examplePairs(target, 'emulator')
      const troubles: string[] = []
      for (const {
        questions: [question],
        sql,
      } of examples) {
        try {
          await known.check(sql)
          const { rows, columns } = await known.run(sql)
          const names = columns.map(({ name }) => name)
          const empty = names.filter((name, i) => !filledByEnrichment.has(name) && rows.every((row) => row[i] === null))
          if (empty.length > 0) troubles.push(`${question}: nothing in ${empty.join(', ')}`)
          if (names.some((name, i) => name === '?column?' || names.indexOf(name) !== i))
            troubles.push(`${question}: ${names.join(', ')}`)
          await other.run(sql)
        } catch (error) {
          troubles.push(`${question}: ${String(error)}`)
        }
      }
      expect(troubles).to.deep.equal([])
    })
  }

  it('do not overlap with the evaluation questions', () => {
    const gold = new Set(goldQuestions('emulator').map(({ question }) => question.toLowerCase()))
    const requested = queryTargets.flatMap((target) =>
      examplePairs(target, 'emulator').flatMap(({ questions }) => questions),
    )
    expect(requested.filter((question) => gold.has(question.toLowerCase()))).to.deep.equal([])
  })
})

function databasesOf({ evaluation }: EvaluatedWorld, target: (typeof queryTargets)[number]) {
  const databases = evaluation.databases.get(target)
  if (databases === undefined) throw new Error(`There is no database of the target ${target}`)
  return databases
}
