import { expect } from 'chai'
import { apiCaseId, figureKinds, figureParts } from '../../scripts/bench/report/figures.ts'
import { growthChart, performancePages } from '../../scripts/bench/report/performance-pages.ts'
import { historyLine } from '../../scripts/bench/report/history.ts'
import { performancePage } from '../../scripts/bench/report/performance-page.ts'
import { madeUpRun } from './made-up-run.ts'

describe('the performance page', () => {
  it('says that there is no run, and has no picture', () => {
    expect([...performancePages('').keys()]).to.deep.equal(['docs/performance.md'])
    expect(performancePage([])).to.include('No run has been written down yet.')
  })

  it('has every figure with its unit, its limit, how they compare, and its target', () => {
    const page = performancePage([madeUpRun({ figures: { 'ingest.pace': { value: 1234.5, limit: 2469 } } })])
    for (const { title, figures } of Object.values(figureParts)) {
      expect(page).to.include(`\n## ${title}\n`)
      for (const { label, unit } of Object.values(figures))
        expect(page).to.match(new RegExp(`\\| ${label.replaceAll(/[|()/]/g, '\\$&')} \\| \\*\\*[\\d,.]+\\*\\* ${unit}`))
    }
    expect(page).to.include('| blocks stored | **1,235** blocks/s | 2,469, bare COPY | 0.500 times as fast |  |')
    expect(page).to.include(
      '| ingest and all workers | **50.0** blocks/s | 100, bare COPY | 0.500 times as fast | at least 400: **not reached** |',
    )
    expect(page).to.include(
      '| processor time of the program | **50.0** ms a block |  |  | at most 2.2: **not reached** |',
    )
    expect(page).to.include(
      '| commit to receiver, median at 250/s | **50.0** ms | 100, bare POST | 0.500 times as much | at most 300: reached |',
    )
  })

  it('tells at its head which targets are not reached', () => {
    const few = { 'derive.pace': { value: 500 }, 'derive.node': { value: 3 } }
    expect(performancePage([{ ...madeUpRun(), figures: few }])).to.include(
      '**Of 2 targets 1 are reached**; not reached: Deriving: processor time of the program.\n',
    )
    expect(performancePage([{ ...madeUpRun(), figures: { 'derive.pace': { value: 500 } } }])).to.include(
      '**Of 1 targets 1 are reached**.\n',
    )
  })

  it('tells the conditions, and that a machine was not quiet', () => {
    const quiet = performancePage([madeUpRun()])
    for (const words of [
      '2026-03-04 05:06 UTC, `abc1234`, 600 s',
      '2 cores of A Processor, 24.0 GiB, Linux 6.1',
      '0.20 before, 2.50 after',
      'Node 24.1.0, PostgreSQL 18.4',
      'fsync on, blocks 10000',
    ]) {
      expect(quiet).to.include(words)
    }
    expect(quiet).to.not.include('not quiet')
    expect(performancePage([madeUpRun({ conditions: { others: [0.01, 0.83] } })])).to.include(
      '**The machine was not quiet: others used 42 % of all cores.**',
    )
    expect(performancePage([madeUpRun({ conditions: { loadBefore: 7.3 } })])).to.include(
      '**The machine was not quiet: the load before was 7.3 on 2 cores.**',
    )
  })

  it('is about the last full run, and lists all, the newest first', () => {
    const page = performancePage([
      madeUpRun({ conditions: { commit: 'first11' } }),
      madeUpRun({ conditions: { commit: 'second2', loadBefore: 9 } }),
      madeUpRun({ mode: 'quick', conditions: { commit: 'third33' } }),
    ])
    expect(page).to.include('UTC, `second2`, 600 s')
    const runs = page.slice(page.indexOf('## Runs'))
    expect([...runs.matchAll(/`(\w+)` \| ([\w, ]+) \|/g)].map(([, commit, mode]) => [commit, mode])).to.deep.equal([
      ['third33', 'quick'],
      ['second2', 'full, disturbed'],
      ['first11', 'full'],
    ])
  })

  it('leaves out what a run did not measure', () => {
    const run = madeUpRun()
    const { 'decode.ccf': _left, 'decode.json-cdc': _out, ...figures } = run.figures
    const page = performancePage([{ ...run, figures }])
    expect(page).to.not.include('## Decoding')
    expect(page).to.include('## Ingest')
  })

  it('compares the last stretch with the second, and requests on little and on much data', () => {
    const page = performancePage([madeUpRun()])
    expect(page).to.include(
      'Up to block 1,000 a block took 2.00 ms of processor time, up to block 1,500 3.00 ms: **1.50 times**.',
    )
    expect(page).to.include('| Request | 1,000 blocks: ms | bytes | 10,000 blocks: ms | bytes | Times |')
    expect(page).to.include('| block list | 0.200 | 8,000 | 0.220 | 8,100 | 1.10 |')
  })

  it('is made of the lines of the history', () => {
    const run = madeUpRun()
    const pages = performancePages(historyLine(run))
    expect(pages.get('docs/performance.md')).to.equal(performancePage([run]))
    expect(pages.get('docs/images/growth.svg')).to.equal(growthChart(run.growth.blocks))
  })
})

describe('the chart of growth', () => {
  it('draws a line for the program and one for PostgreSQL, through the middle of each stretch', () => {
    const chart = growthChart([
      { upTo: 500, nodeMs: 2, postgresMs: 4 },
      { upTo: 1000, nodeMs: 1, postgresMs: 0 },
    ])
    // 56 to 744 across for 0 to 1,000 blocks, 276 to 40 upwards for 0 to 4 ms.
    expect([...chart.matchAll(/points="([^"]+)"/g)].map(([, points]) => points)).to.deep.equal([
      '228,158 572,217',
      '228,40 572,276',
    ])
    for (const label of ['flowfarm', 'PostgreSQL', '1,000', '4.00']) expect(chart).to.include(`>${label}</text>`)
  })

  it('is drawn of nothing too', () => {
    expect(growthChart([])).to.match(/^<svg .*<\/svg>\n$/s)
  })
})

describe('the figures of the bench', () => {
  it('have ids that begin with their part', () => {
    for (const [part, { figures }] of Object.entries(figureParts)) {
      for (const id of Object.keys(figures)) expect(id.startsWith(`${part}.`), id).to.equal(true)
    }
  })

  it('know the cases of the API by their names', () => {
    expect(apiCaseId("account's transactions")).to.equal('accounts-transactions')
    expect(figureKinds.get('api.kept.accounts-transactions')?.label).to.equal("account's transactions, answers kept")
  })
})
