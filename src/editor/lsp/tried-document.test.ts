import { expect } from 'chai'
import { BlameLedger } from './blame-ledger.ts'
import { TriedDocument } from './tried-document.ts'

const limits = { blamePauseMs: 5000, longestBlamePauseMs: 300_000, blameMemoryMs: 1_800_000 }

/** Documents of one client with a clock that is set. */
function world(): {
  clock: { ms: number }
  document: (subject?: string) => TriedDocument
  requests: (subject?: string) => TriedDocument
} {
  const clock = { ms: 1000 }
  const ledger = new BlameLedger(limits, { now: () => clock.ms, after: () => () => undefined })
  const of = (subject: string): { ledger: BlameLedger; client: string; subject: string } => ({
    ledger,
    client: '192.0.2.1',
    subject,
  })
  return {
    clock,
    document: (subject = 'a') => new TriedDocument(of(subject)),
    requests: (subject = 'a') => new TriedDocument(of(subject), true),
  }
}

describe('a document that a language server has ended on', () => {
  it('is set aside when it has done so alone three times, changed or not, and once more after the pause for twice as long', () => {
    const { clock, document: make } = world()
    const document = make()
    document.suspect()
    for (let n = 0; n < 3; n++) {
      expect([document.isSuspect, document.setAsideUntil]).to.deep.equal([true, undefined])
      document.given()
      document.diedAlone()
    }
    expect(document.setAsideUntil).to.equal(6000)
    document.changed()
    expect(document.setAsideUntil).to.equal(6000)
    clock.ms = 6000
    expect([document.isSuspect, document.setAsideUntil]).to.deep.equal([true, undefined])
    document.given()
    document.diedAlone()
    expect(document.setAsideUntil).to.equal(16_000)
  })

  it('is set aside sooner where servers hang', () => {
    const document = world().document()
    document.diedAmong(1, 1, { isHang: true })
    expect(document.setAsideUntil).to.equal(undefined)
    document.diedAlone({ isHang: true })
    expect(document.setAsideUntil).to.equal(6000)
  })

  it('is not blamed for a server that others have killed a few times, and is when that goes on', () => {
    const document = world().document()
    for (let n = 0; n < 14; n++) document.diedAlone({ isFromOutside: true })
    for (let n = 0; n < 14; n++) document.diedAmong(1, 1, { isFromOutside: true })
    expect(document.setAsideUntil).to.equal(undefined)
    for (let n = 0; n < 2; n++) document.diedAlone({ isFromOutside: true })
    expect(document.setAsideUntil).to.equal(6000)
  })

  it('is trusted again when it was borne alone as it was, and is not cleared by another text', () => {
    const { document: make } = world()
    for (const isChanged of [false, true]) {
      const document = make(String(isChanged))
      for (let n = 0; n < 4; n++) {
        document.given()
        document.suspect()
        document.diedAmong(1, 1)
        if (isChanged) document.changed()
        document.given()
        document.passed()
        expect(document.isSuspect).to.equal(false)
        document.changed()
      }
      expect(document.setAsideUntil !== undefined).to.equal(isChanged)
    }
  })

  it('trusts requests again after five answers', () => {
    const requests = world().requests()
    requests.diedAmong(2, 1)
    requests.suspect()
    for (let n = 0; n < 5; n++) {
      expect(requests.isSuspect).to.equal(true)
      requests.passed()
    }
    expect(requests.isSuspect).to.equal(false)
  })

  it('keeps another one of its name from being tried, but for one that was borne before', () => {
    const { document: make } = world()
    const [culprit, good] = [make(), make()]
    good.given()
    good.borne()
    for (let n = 0; n < 3; n++) culprit.diedAlone()
    good.changed()
    expect(good.setAsideUntil).to.equal(undefined)
    expect(make().setAsideUntil).to.equal(6000)
    expect(make('b').setAsideUntil).to.equal(undefined)
  })

  it('keeps all that is new of its client from being tried, where it is the third one', () => {
    const { clock, document: make } = world()
    const good = make('good')
    good.given()
    good.borne()
    for (const name of ['a', 'b', 'c']) {
      const document = make(name)
      for (let n = 0; n < 3 && document.setAsideUntil === undefined; n++) document.diedAlone()
      expect(document.setAsideUntil).to.be.greaterThan(clock.ms)
      expect(good.setAsideUntil).to.equal(undefined)
    }
    expect([make('d').setAsideUntil, make('d').isSuspect]).to.deep.equal([21_000, true])
    good.changed()
    expect(good.setAsideUntil).to.equal(21_000)
    clock.ms = 21_000
    expect(good.setAsideUntil).to.equal(undefined)
    expect(good.isSuspect).to.equal(true)
  })
})
