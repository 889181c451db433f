import { expect } from 'chai'
import { compareAnswers } from '../../../../scripts/eval/compare-answers.ts'
import { goldQuestions, readKnownAnswers } from '../../../../scripts/eval/gold-questions.ts'
import { evaluatedWorld } from './evaluated-world.ts'
import type { EvaluatedWorld } from './evaluated-world.ts'
import { nearMisses } from './near-misses.ts'

const gold = goldQuestions('emulator')
const words = (sql: string): string => sql.replaceAll(/\s+/g, ' ').trim()

describe('evaluation questions', () => {
  let world: EvaluatedWorld
  before(async () => {
    world = await evaluatedWorld()
  })

  it('include at least sixty and are unique', () => {
    expect(gold.length).to.be.at.least(60)
    for (const key of ['id', 'question'] as const)
      expect(new Set(gold.map((one) => one[key])).size, key).to.equal(gold.length)
  })

  it('have the recorded answers', async () => {
    const written = await readKnownAnswers()
    expect(Object.keys(written)).to.have.members(gold.map(({ id }) => id))
    for (const question of gold) {
      const [first] = await world.evaluation.judge.answers(question)
      if (first === undefined) throw new Error(`${question.id} has no accepted statement`)
      const { columns } = first.known
      const { verdict } = compareAnswers({ columns, rows: written[question.id] ?? [] }, first.known, {
        order: question.order ?? [],
      })
      expect(verdict, question.id).to.equal('same')
    }
  })

  it('have equivalent statements on both chains', async () => {
    const different: string[] = []
    for (const question of gold) {
      const [first, ...others] = await world.evaluation.judge.answers(question)
      for (const answer of others) {
        for (const side of ['known', 'other'] as const) {
          if (first === undefined || compareAnswers(first[side], answer[side], question).verdict !== 'same')
            different.push(`${question.id} (${side})`)
        }
      }
    }
    expect(different).to.deep.equal([])
  })

  it('have different answers on the other chain', async () => {
    const same: string[] = []
    for (const question of gold) {
      const [first] = await world.evaluation.judge.answers(question)
      if (first !== undefined && compareAnswers(first.known, first.other, question).verdict === 'same')
        same.push(question.id)
    }
    expect(same).to.deep.equal([])
  })

  it('reject statements that omit a condition or use max in place of sum', async () => {
    const right: string[] = []
    let tried = 0
    for (const question of gold) {
      for (const { change, sql } of question.accepted.flatMap(nearMisses)) {
        if (question.accepted.some((accepted) => words(accepted) === words(sql))) continue
        tried++
        const { outcome } = await world.evaluation.judge.judge(question, sql)
        if (outcome === 'right') right.push(`${question.id}, ${change}: ${words(sql)}`)
      }
    }
    expect(right).to.deep.equal([])
    expect(tried).to.be.at.least(150)
  })

  it('have complete, non-empty answers', async () => {
    for (const question of gold) {
      for (const { known } of await world.evaluation.judge.answers(question)) {
        expect(known.truncated, question.id).to.equal(false)
        expect(known.rows, question.id).to.not.deep.equal([])
      }
    }
  })
})
