import { expect } from 'chai'
import { chatCases, evaluateChat, scriptedModel } from '../../../../scripts/eval/chat-cases.ts'
import { goldQuestions } from '../../../../scripts/eval/gold-questions.ts'
import { replayScenarios, scenarioGroups } from '../../../../scripts/eval/scenarios.ts'
import { chatReport, replayReport, unexpectedIn, modelReport } from '../../../../scripts/eval/report.ts'
import type { ProtocolRun } from '../../../../scripts/eval/report.ts'
import { evaluatedWorld } from './evaluated-world.ts'
import type { EvaluatedWorld } from './evaluated-world.ts'

const gold = goldQuestions('emulator')

/** Report lines of unexpected outcomes. */
const faults = (run: ProtocolRun): string[] =>
  replayReport(scenarioGroups, [{ ...run, results: run.results.filter((result) => unexpectedIn(result).length > 0) }])

describe('query service with a replayed model', () => {
  let world: EvaluatedWorld
  before(async () => {
    world = await evaluatedWorld()
  })

  it('passes for every question and every model behaviour', async () => {
    const run = await replayScenarios(world.evaluation, gold, 'anthropic')
    expect(faults(run)).to.deep.equal([])
    const { results } = run
    const repaired = results.find(({ scenario }) => scenario.name === 'twice-repaired')?.results ?? []
    expect(repaired.map(({ attempts }) => attempts)).to.deep.equal(repaired.map(() => 2))
    const versions = new Set(
      results.flatMap(({ results: own }) =>
        own.map(({ gold: { target }, promptVersion }) => promptVersion && `${target} ${promptVersion}`),
      ),
    )
    expect([...versions].filter((version) => version !== undefined)).to.have.length(2)
  })

  for (const protocol of ['openai', 'openai-compatible'] as const) {
    it(`passes over the protocol ${protocol}`, async () => {
      const few = gold.filter(({ target }, i) => target === 'evm' || i < 3)
      expect(faults(await replayScenarios(world.evaluation, few, protocol))).to.deep.equal([])
    })
  }

  it('reports what each answer lacks', async () => {
    const [first, second] = gold
    if (first === undefined || second === undefined) throw new Error('No question found')
    const { results } = await replayScenarios(world.evaluation, [first], 'anthropic')
    const right = results[0]?.results[0]
    if (right === undefined) throw new Error('Nothing was replayed')
    const lines = modelReport('A model', [
      right,
      { ...right, gold: second, outcome: 'wrong', overlap: 0.5, sql: 'select\n  1' },
      { ...right, outcome: 'failed: sql-timeout', failure: 'It took too long.', sql: undefined },
    ])
    expect(lines[0]).to.equal('A model: 1 of 3 right, execution accuracy 33.3 %')
    expect(lines.join('\n')).to.include(`${second.id} (indexer): wrong, 50.0 % of the values (F1)`)
    expect(lines.join('\n')).to.match(/failed: sql-timeout\n.*\n {4}It took too long\./)
  })

  it('fails and reports the actual result when the guard lets a statement through', () => {
    const [question] = gold
    const group = scenarioGroups.find(({ scenarios }) => scenarios.some(({ name }) => name === 'unsafe-function'))
    const scenario = group?.scenarios.find(({ name }) => name === 'unsafe-function')
    if (question === undefined || group === undefined || scenario === undefined)
      throw new Error('There is nothing to try')
    const ran = {
      gold: question,
      outcome: 'wrong' as const,
      hasOtherColumns: false,
      overlap: 0,
      attempts: 1,
      sql: `select pg_read_file('/etc/passwd')`,
      failure: undefined,
      durationMs: 1,
      promptVersion: undefined,
    }
    const run = { protocol: 'openai', results: [{ scenario, results: [{ ...ran, outcome: scenario.expected }, ran] }] }
    expect(run.results.flatMap(unexpectedIn)).to.deep.equal([ran])
    const report = replayReport([group], [run]).join('\n')
    expect(report).to.match(
      /FAIL unsafe-function +1 of 2 +sql-function +a file on the server\n +over openai:\n.*: wrong\n[^]*pg_read_file/,
    )
    expect(report).not.to.include('ok  ')
  })
})

describe('chat with the scripted model', () => {
  let world: EvaluatedWorld
  before(async () => {
    world = await evaluatedWorld()
  })

  it('refines over turns, chooses charts and refuses, as expected', async () => {
    const results = await evaluateChat(world.evaluation, gold, scriptedModel(gold))
    expect(results.filter(({ problem }) => problem !== undefined)).to.deep.equal([])
    expect(chatReport('m', results)).to.include.members([
      '  multi-turn: 4 of 4',
      '  chart: 5 of 5',
      '  refusal: 6 of 6',
    ])
  })

  it('reports wrong statements, unsuitable charts and missing refusals', async () => {
    const [known] = gold
    if (known === undefined) throw new Error('No question found')
    // Each last turn has the statement of the first question.
    const wrong = scriptedModel(
      chatCases.map(({ turns }, i) => ({ ...known, id: `${i}`, question: turns.at(-1) ?? '' })),
    )
    const results = await evaluateChat(world.evaluation, gold, wrong)
    const problems = new Map(results.map(({ chatCase: { id }, problem }) => [id, problem]))
    expect(problems.get('then-events')).to.match(/^wrong: select count/)
    expect(problems.get('by-day')).to.match(/^wrong: /)
    expect(problems.get('send')).to.match(/^answered with select count/)
    expect(problems.get('one-number')).to.equal(undefined)
  })
})
