import { expect } from 'chai'
import type { Overview, Stage } from './answers.gen.ts'
import { summarize } from './summary.ts'

const none = { leases: 0, heights: 0 }

function stage(change: Partial<Stage> & Pick<Stage, 'name'>): Stage {
  return {
    kind: 'worker',
    description: '',
    phase: 1,
    follows: [],
    isEnabled: true,
    own: null,
    covered: 0,
    available: 0,
    backlog: 0,
    queued: none,
    active: none,
    failed: none,
    flagged: none,
    skipped: none,
    rate: null,
    etaSeconds: null,
    lowest: null,
    highest: null,
    holes: 0,
    blocked: null,
    oldestUnfinished: null,
    updatedAt: null,
    ...change,
  }
}

function overview(stages: readonly Stage[], change: Partial<Overview> = {}): Overview {
  return {
    generatedAt: '2026-03-01T00:00:00Z',
    version: '1',
    chainId: 'flow-mainnet',
    head: 104,
    stored: { from: 0, to: 100 },
    database: { isUp: true },
    queues: 'postgres',
    stages,
    unresolvedErrors: 0,
    stuckSessions: 0,
    failingHeights: 0,
    unavailableHeights: 0,
    drills: [],
    ...change,
  }
}

describe('summary', () => {
  it('sums up enabled workers, and uses the slowest ETA', () => {
    const summary = summarize(
      overview([
        stage({ name: 'main_ingester', kind: 'ingester', backlog: 5, rate: 1 }),
        stage({ name: 'a', backlog: 100, rate: 10, etaSeconds: 10 }),
        stage({ name: 'b', backlog: 50, rate: 1, etaSeconds: 50 }),
        stage({ name: 'c', isEnabled: false, backlog: 1000 }),
      ]),
    )
    expect(summary).to.include({
      backlog: 150,
      rate: 11,
      etaSeconds: 50,
      lag: 5,
      tone: 'good',
      verdict: 'All systems normal',
    })
  })

  it('has no ETA while a worker stands still', () => {
    expect(
      summarize(overview([stage({ name: 'a', backlog: 1, etaSeconds: 1 }), stage({ name: 'b', backlog: 1 })]))
        .etaSeconds,
    ).to.equal(undefined)
  })

  it('shows the most severe state first', () => {
    const flagged = stage({ name: 'a', flagged: { leases: 2, heights: 2 }, failed: { leases: 1, heights: 1 } })
    const failed = stage({ name: 'a', failed: { leases: 1, heights: 1 } })
    const fine = stage({ name: 'a' })
    const behind = stage({
      name: 'b',
      blocked: { by: 'a', cause: 'stalled', heights: 7, since: '2026-03-01T00:00:00Z' },
    })
    const verdict = (state: Overview): string => `${summarize(state).tone}: ${summarize(state).verdict}`
    expect(
      [
        overview([flagged], { database: { isUp: false } }),
        overview([flagged]),
        overview([fine, behind], { unresolvedErrors: 2 }),
        overview([failed], { unresolvedErrors: 2 }),
        overview([fine], { unresolvedErrors: 2 }),
        overview([fine]),
        overview([fine], { stored: null }),
      ].map(verdict),
    ).to.deep.equal([
      'bad: The database is not reachable',
      'bad: 2 ranges are stuck',
      'warn: b is behind by 7 blocks',
      'warn: Retrying failed ranges',
      'warn: Some inputs could not be decoded',
      'good: All systems normal',
      'neutral: No blocks stored yet',
    ])
  })
})
