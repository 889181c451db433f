import { expect } from 'chai'
import { goldQuestions } from '../../../scripts/eval/gold/gold-questions.ts'
import { replayScenarios } from '../../../scripts/eval/replay/replay-scenarios.ts'
import { modelReport, scenarioReport, unexpectedIn } from '../../../scripts/eval/report.ts'
import { evaluatedWorld } from './evaluated-world.ts'
import type { EvaluatedWorld } from './evaluated-world.ts'

const gold = goldQuestions('emulator')

describe('the query service with a replayed model', function () {
  this.timeout(180_000)
  let world: EvaluatedWorld
  before(async () => {
    world = await evaluatedWorld()
  })

  it('does right with every question and every way to behave', async () => {
    const results = await replayScenarios(world.evaluation, gold, 'anthropic')
    expect(scenarioReport(results.filter((result) => unexpectedIn(result).length > 0))).to.deep.equal([])
    const mended = results.find(({ scenario }) => scenario.name === 'twice-repaired')?.results ?? []
    expect(mended.map(({ attempts }) => attempts)).to.deep.equal(mended.map(() => 2))
    const versions = new Set(results.flatMap(({ results: own }) => own.map(({ gold: { target }, promptVersion }) => promptVersion && `${target} ${promptVersion}`)))
    expect([...versions].filter((version) => version !== undefined)).to.have.length(2)
  })

  for (const protocol of ['openai', 'openai-compatible'] as const) {
    it(`does so too over the protocol ${protocol}`, async () => {
      const few = gold.filter(({ target }, i) => target === 'evm' || i < 3)
      const results = await replayScenarios(world.evaluation, few, protocol)
      expect(scenarioReport(results.filter((result) => unexpectedIn(result).length > 0))).to.deep.equal([])
    })
  }

  it('is reported with what each answer lacks', async () => {
    const [first, second] = gold
    if (first === undefined || second === undefined) throw new Error('There are no questions')
    const [replayed] = await replayScenarios(world.evaluation, [first], 'anthropic')
    const right = replayed?.results[0]
    if (right === undefined) throw new Error('Nothing was replayed')
    const lines = modelReport('A model', [
      right, { ...right, gold: second, outcome: 'wrong', overlap: 0.5, sql: 'select\n  1' },
      { ...right, outcome: 'failed: sql-timeout', failure: 'It took too long.', sql: undefined },
    ])
    expect(lines[0]).to.equal('A model: 1 of 3 right (33.3 %)')
    expect(lines.join('\n')).to.include(`${second.id} (indexer): wrong, 50.0 % of the values`)
    expect(lines.join('\n')).to.match(/failed: sql-timeout\n.*\n {4}It took too long\./)
    expect(scenarioReport([{ scenario: { name: 'x', about: 'y', expected: 'wrong' }, results: [right] }])[0]).to.match(/^FAIL x {2}0 of 1 wrong/)
  })
})
