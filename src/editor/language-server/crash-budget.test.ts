import { expect } from 'chai'
import fc from 'fast-check'
import { CrashBudget, Quarantine } from './crash-budget.ts'
import { defaultLspLimits } from './lsp-limits.ts'

const client = '192.0.2.1'
const { crashesPerClient, crashRefillMs } = defaultLspLimits

function world(): { clock: { ms: number }; budget: CrashBudget; make: (isRequests?: boolean) => Quarantine } {
  const clock = { ms: 1000 }
  const budget = new CrashBudget(defaultLspLimits, { now: () => clock.ms, after: () => () => undefined })
  return { clock, budget, make: (isRequests) => new Quarantine(budget, client, isRequests) }
}

describe('crash budget of a client', () => {
  it('bounds the crash rate of a client, regardless of its documents', () => {
    const step = fc.record({
      document: fc.nat(30),
      isAlone: fc.boolean(),
      waitMs: fc.oneof(fc.constant(0), fc.nat(100_000)),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const { clock, make } = world()
        const documents = Array.from({ length: 31 }, () => make())
        let crashes = 0
        for (const { document, isAlone, waitMs } of steps) {
          clock.ms += waitMs
          const tried = documents[document]
          tried?.changed()
          if (tried === undefined || tried.setAsideUntil !== undefined) continue
          tried.sent()
          if (isAlone) tried.crashedAlone()
          else tried.crashedAmong(1, 1)
          crashes++
        }
        expect(crashes).to.be.at.most(crashesPerClient + (clock.ms - 1000) / crashRefillMs)
      }),
      { numRuns: 300 },
    )
  })

  it('refills one crash at a time, separately for each client', () => {
    const { clock, budget } = world()
    for (let n = 0; n < crashesPerClient; n++) {
      expect(budget.emptyUntil(client)).to.equal(undefined)
      budget.spend(client, 1)
    }
    expect(budget.emptyUntil(client)).to.equal(clock.ms + crashRefillMs)
    expect(budget.emptyUntil('another')).to.equal(undefined)
    clock.ms += crashRefillMs
    expect(budget.emptyUntil(client)).to.equal(undefined)
  })

  it('charges a crash once per client, regardless of its pending documents', () => {
    const { budget, make } = world()
    for (let n = 0; n < 20; n++) make().crashedAmong(1, 20)
    budget.spend(client, crashesPerClient - 2)
    expect(budget.emptyUntil(client)).to.equal(undefined)
  })

  it('tracks a bounded number of clients', () => {
    const { budget } = world()
    budget.spend('first', crashesPerClient)
    for (let n = 0; n < 5000; n++) budget.spend(`c${n}`, 1)
    expect(budget.size).to.equal(5000)
    expect(budget.emptyUntil('first')).to.equal(undefined)
  })
})

describe('document that crashed a language server', () => {
  it('is quarantined after three crashes alone, and for twice as long after another crash', () => {
    const { clock, make } = world()
    const document = make()
    document.suspect()
    for (let n = 0; n < 3; n++) {
      expect([document.isSuspect, document.setAsideUntil]).to.deep.equal([true, undefined])
      document.sent()
      document.crashedAlone()
    }
    expect(document.setAsideUntil).to.equal(6000)
    document.changed()
    expect(document.setAsideUntil).to.equal(6000)
    clock.ms = 6000
    expect([document.isSuspect, document.setAsideUntil]).to.deep.equal([true, undefined])
    document.sent()
    document.crashedAlone()
    expect(document.setAsideUntil).to.equal(16_000)
  })

  it('is quarantined sooner if servers hang', () => {
    const document = world().make()
    document.crashedAmong(1, 1, { isHang: true })
    expect(document.setAsideUntil).to.equal(undefined)
    document.crashedAlone({ isHang: true })
    expect(document.setAsideUntil).to.equal(6000)
  })

  it('is not charged for a few external kills of the server, but is for many', () => {
    const document = world().make()
    for (let n = 0; n < 14; n++) document.crashedAlone({ isFromOutside: true })
    for (let n = 0; n < 14; n++) document.crashedAmong(1, 1, { isFromOutside: true })
    expect(document.setAsideUntil).to.equal(undefined)
    document.crashedAlone({ isFromOutside: true })
    expect(document.setAsideUntil).to.equal(6000)
  })

  it('is trusted once the same text has been processed alone, but not another text', () => {
    for (const isChanged of [false, true]) {
      const { budget, make } = world()
      const document = make()
      for (let n = 0; n < 4; n++) {
        document.sent()
        document.suspect()
        document.crashedAmong(1, 1)
        if (isChanged) document.changed()
        document.sent()
        document.passed()
        expect(document.isSuspect).to.equal(false)
        document.changed()
      }
      expect(document.setAsideUntil !== undefined).to.equal(isChanged)
      budget.spend(client, crashesPerClient - 1)
      expect(budget.emptyUntil(client) !== undefined).to.equal(isChanged)
    }
  })

  it('trusts requests after five responses', () => {
    const requests = world().make(true)
    requests.crashedAmong(2, 1)
    requests.suspect()
    for (let n = 0; n < 5; n++) {
      expect(requests.isSuspect).to.equal(true)
      requests.passed()
    }
    expect(requests.isSuspect).to.equal(false)
  })

  it('stays available if already processed when the budget is exhausted; new texts wait', () => {
    const { clock, budget, make } = world()
    const good = make()
    good.sent()
    good.digested()
    budget.spend(client, crashesPerClient)
    expect(good.setAsideUntil).to.equal(undefined)
    expect(make().setAsideUntil).to.equal(clock.ms + crashRefillMs)
    good.changed()
    expect(good.setAsideUntil).to.equal(clock.ms + crashRefillMs)
  })

  it('is cleared after half an hour without a crash', () => {
    const { clock, make } = world()
    const document = make()
    for (let n = 0; n < 3; n++) document.crashedAlone()
    clock.ms += 5000 + 1_800_000
    document.crashedAlone()
    expect(document.setAsideUntil).to.equal(undefined)
  })
})
