import { expect } from 'chai'
import { pino } from 'pino'
import { RefusedAttempts } from './refused-attempts.ts'

interface Line {
  readonly address?: string
  readonly count?: number
}

describe('RefusedAttempts', () => {
  let now: number
  let lines: Line[]
  let attempts: RefusedAttempts

  beforeEach(() => {
    now = 0
    lines = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) })
    attempts = new RefusedAttempts({ log, clock: () => now })
  })

  function note(address: string, times = 1): void {
    for (let i = 0; i < times; i++) {
      attempts.note(address, {
        audit: 'adminPutLabel',
        refused: 'bad-credentials',
        address,
        path: '/admin/account-labels',
        requestId: 'r',
      })
    }
  }

  it('logs the first attempts of each client and counts the rest', () => {
    note('192.0.2.1', 1000)
    note('192.0.2.2')
    expect(lines.map(({ address }) => address)).to.deep.equal(['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'])
    now = 60_000
    note('192.0.2.1')
    expect(lines.slice(4).map(({ address, count }) => ({ address, count }))).to.deep.equal([
      { address: undefined, count: 997 },
      { address: '192.0.2.1', count: undefined },
    ])
  })

  it('logs no more for many clients than for a few', () => {
    for (let i = 0; i < 100_000; i++) note(`client ${i}`)
    expect(lines).to.have.length(60)
    now = 60_000
    note('192.0.2.1')
    expect(lines[60]).to.include({ count: 99_940 })
  })

  it('omits the count if every attempt was logged', () => {
    note('192.0.2.1')
    now = 60_000
    note('192.0.2.1')
    expect(lines).to.have.length(2)
  })
})
