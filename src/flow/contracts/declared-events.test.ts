import { expect } from 'chai'
import { declaredEvents } from './declared-events.ts'

describe('declaredEvents', () => {
  it('finds the events that a contract declares, each once and in order', () => {
    const code = `
      // event Commented(a: Int)
      access(all) contract A {
        access(all) event Moved (id: UInt64, to: Address?)
        pub event Ended()
        access(all) resource interface B { access(all) event Ended() access(all) event ResourceDestroyed(uuid: UInt64 = self.uuid) }
        let event: String
        init() { self.event = "event Written(a: Int)" emit Moved(id: 1, to: nil) }
      }`
    expect(declaredEvents(code)).to.deep.equal(['Moved', 'Ended', 'ResourceDestroyed'])
  })

  it('finds none in what is no code', () => {
    for (const code of ['', 'event', 'event A', 'event "A"(']) expect(declaredEvents(code)).to.deep.equal([])
  })
})
