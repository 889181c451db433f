import { expect } from 'chai'
import fc from 'fast-check'
import { BlameLedger } from './blame-ledger.ts'

const limits = { blamePauseMs: 5000, longestBlamePauseMs: 300_000, blameMemoryMs: 1_800_000 }
const alone = { weight: 1, isAlone: true }

function ledgerAt(clock: { ms: number }): BlameLedger {
  return new BlameLedger(limits, { now: () => clock.ms, after: () => () => undefined })
}

/** The pauses of so many blames, put together, ms. */
function pausesOf(blames: number): number {
  return Array.from({ length: Math.max(0, blames) }, (_, n) => Math.min(300_000, 5000 * 2 ** n)).reduce(
    (sum, ms) => sum + ms,
    0,
  )
}

describe('the ledger of what language servers end on', () => {
  it('gives whoever ends a server whenever they may no more than a few tries in any time, whatever names they use', () => {
    const step = fc.record({
      name: fc.integer({ min: 0, max: 30 }),
      isAlone: fc.boolean(),
      waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100_000 })),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const clock = { ms: 1000 }
        const ledger = ledgerAt(clock)
        let deaths = 0
        for (const { name, isAlone, waitMs } of steps) {
          clock.ms += waitMs
          const subject = `document ${name}`
          if ((ledger.pausedUntil('c', subject) ?? ledger.clientPausedUntil('c')) !== undefined) continue
          ledger.died('c', subject, { weight: 1, isAlone })
          deaths++
        }
        const passed = clock.ms - 1000
        // Six, and two more until nothing new is tried, in some order; then one for each pause. What is long ago counts for less.
        const free = 8 + Math.floor(passed / 300_000)
        expect(pausesOf(deaths - free)).to.be.at.most(passed + 300_000)
      }),
      { numRuns: 300 },
    )
  })

  it('lets one name have three tries, and one for each pause after them, each twice as long up to the longest', () => {
    const clock = { ms: 0 }
    const ledger = ledgerAt(clock)
    const pauses: number[] = []
    for (let n = 0; n < 12; n++) {
      const until = ledger.pausedUntil('c', 'a')
      if (until !== undefined) clock.ms = until
      ledger.died('c', 'a', alone)
      pauses.push((ledger.pausedUntil('c', 'a') ?? clock.ms) - clock.ms)
    }
    expect(pauses).to.deep.equal([
      0, 0, 5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000, 300_000,
    ])
    expect(ledger.clientPausedUntil('c')).to.equal(undefined)
    expect(ledger.pausedUntil('another', 'a')).to.equal(undefined)
  })

  it('pauses whoever takes another name each time as well', () => {
    const ledger = ledgerAt({ ms: 0 })
    let deaths = 0
    while (ledger.clientPausedUntil('c') === undefined)
      ledger.died('c', `name ${deaths++}`, { weight: 1, isAlone: deaths % 2 === 0 })
    expect(deaths).to.equal(8)
  })

  it('counts an end once for a client, whatever the client had in hand', () => {
    const ledger = ledgerAt({ ms: 0 })
    for (let end = 0; end < 2; end++) {
      for (let n = 0; n < 20; n++) ledger.died('c', `name ${n}`, { weight: 1, things: 20, isAlone: false })
    }
    expect(ledger.pausedUntil('c', 'name 0')).to.equal(undefined)
  })

  it('forgets who was quiet for long after the last pause, and not before', () => {
    const clock = { ms: 0 }
    const ledger = ledgerAt(clock)
    for (let n = 0; n < 3; n++) ledger.died('c', 'a', alone)
    clock.ms = 5000 + 1_799_999
    expect(ledger.isOnTrial('c', 'a')).to.equal(true)
    clock.ms++
    expect(ledger.isOnTrial('c', 'a')).to.equal(false)
    expect(ledger.size).to.equal(0)
  })

  it('blames nobody who is there when a server ends now and then', () => {
    const clock = { ms: 0 }
    const ledger = ledgerAt(clock)
    for (let n = 0; n < 200; n++) {
      clock.ms += 310_000
      ledger.died('c', 'a', { weight: 1, isAlone: false })
      ledger.died('c', 'a', { weight: 0.5, isAlone: false })
      expect(ledger.pausedUntil('c', 'a')).to.equal(undefined)
      if (n % 2 === 1) ledger.bore('c', 'a')
    }
  })

  it('remembers so many clients and names, and forgets those first that were blamed longest ago', () => {
    const ledger = ledgerAt({ ms: 0 })
    for (let n = 0; n < 3; n++) ledger.died('first', 'a', alone)
    for (let n = 0; n < 5000; n++) ledger.died(`c${n}`, 'a', alone)
    expect(ledger.size).to.equal(5000)
    expect(ledger.pausedUntil('first', 'a')).to.equal(undefined)
    // Who has others forgotten by going through names is known by the client itself.
    for (let n = 0; n < 1000; n++) ledger.died('c4999', `name ${n}`, alone)
    expect(ledger.clientPausedUntil('c4999')).to.be.greaterThan(0)
  })
})
