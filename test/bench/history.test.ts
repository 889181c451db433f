import { expect } from 'chai'
import { historyLine, readHistory } from '../../scripts/bench/report/history.ts'
import { FatalError } from '../../src/platform/errors.ts'
import { madeUpRun } from './made-up-run.ts'

describe('the history of the bench', () => {
  it('reads what it wrote, run after run', () => {
    const runs = [madeUpRun(), madeUpRun({ mode: 'quick', conditions: { commit: 'def5678' } })]
    expect(readHistory(runs.map(historyLine).join(''))).to.deep.equal(runs)
    expect(readHistory('')).to.deep.equal([])
  })

  it('writes a run into one line, numbers with four digits that count and whole ones as they are', () => {
    const line = historyLine(
      madeUpRun({
        figures: { 'ingest.pace': { value: 1234.5678, limit: 0.00012345678 }, 'derive.memory': { value: 123_456 } },
      }),
    )
    expect(line.indexOf('\n')).to.equal(line.length - 1)
    const [read] = readHistory(line)
    expect(read?.figures['ingest.pace']).to.deep.equal({ value: 1235, limit: 0.0001235 })
    expect(read?.figures['derive.memory']).to.deep.equal({ value: 123_456 })
  })

  it('refuses to write what was not measured', () => {
    expect(() => historyLine(madeUpRun({ figures: { 'ingest.pace': { value: Number.NaN } } }))).to.throw()
  })

  it('names the line that is none', () => {
    const good = historyLine(madeUpRun())
    expect(() => readHistory(`${good}\nnonsense\n`)).to.throw(FatalError, 'Line 3 of the history is no JSON')
    expect(() => readHistory(`${good}${good.replace('"mode":"full"', '"mode":"slow"')}`)).to.throw(
      FatalError,
      'Line 2 of the history is no run',
    )
  })
})
