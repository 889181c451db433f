import { expect } from 'chai'
import { pino } from 'pino'
import { LogThrottle } from './log-throttle.ts'

describe('LogThrottle', () => {
  it('is due at once, then after the interval, with the number of suppressed lines', () => {
    const lines = new LogThrottle(100)
    const due = [0, 1, 99, 100, 150, 200, 1000, 1099].map((now) => lines.due('', now))
    expect(due).to.deep.equal([0, undefined, undefined, 2, undefined, 1, 0, undefined])
  })

  it('counts causes separately, up to a limit', () => {
    const lines = new LogThrottle(100)
    expect([lines.due('a', 0), lines.due('b', 0), lines.due('a', 1)]).to.deep.equal([0, 0, undefined])
    for (let i = 0; i < 1000; i++) lines.due(`cause ${i}`, 2)
    expect(lines.due('a', 3)).to.equal(0)
  })

  it('logs one line without a stack for failures that differ only in numbers and ids', () => {
    const written: Record<string, unknown>[] = []
    const log = pino(
      { level: 'warn' },
      { write: (line: string) => void written.push(JSON.parse(line) as Record<string, unknown>) },
    )
    const throttle = new LogThrottle()
    for (let i = 0; i < 5; i++)
      throttle.log(log, 'warn', { err: new Error(`height ${i}: no script execution`), worker: 'w' }, 'failed')
    throttle.log(log, 'warn', { err: new Error('another cause') }, 'failed')
    for (const id of ['8624e2a0', '510790fb-db29-4d8e-a759-61d72ea31ac9', '0x8c5303eaa26202d6', 'cafebabe'.repeat(8)])
      throttle.log(log, 'warn', { err: new Error(`no state of ${id}`) }, 'failed')
    expect(written.map(({ reason, err }) => ({ reason, err }))).to.deep.equal([
      { reason: 'height 0: no script execution', err: undefined },
      { reason: 'another cause', err: undefined },
      { reason: 'no state of 8624e2a0', err: undefined },
    ])
  })
})
