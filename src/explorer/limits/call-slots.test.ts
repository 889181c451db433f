import { expect } from 'chai'
import { ApiError } from '../../platform/errors.ts'
import { CallSlots } from './call-slots.ts'
import type { CallSlotsOptions } from './call-slots.ts'

const options: CallSlotsOptions = {
  what: 'calls',
  max: 3,
  maxOfClient: 2,
  maxWaiting: 4,
  maxWaitingOfClient: 2,
  maxWaitMs: 60_000,
}

const of = (address: string, isLocal = false): { address: string; isLocal: boolean } => ({ address, isLocal })

async function refusal(entering: Promise<unknown>): Promise<string> {
  try {
    await entering
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.code}`
    throw error
  }
  return 'entered'
}

describe('call slots', () => {
  it('let so many calls of a client run, let some wait, and refuse the rest', async () => {
    const slots = new CallSlots(options)
    const leave = await slots.enter(of('2001:db8::1'))
    await slots.enter(of('2001:db8::2'))
    const begun: string[] = []
    const third = slots.enter(of('2001:db8::3')).then(() => begun.push('third'))
    void slots.enter(of('2001:db8::4')).then(() => begun.push('fourth'))
    expect(await refusal(slots.enter(of('2001:db8::5')))).to.equal('429 too-many-calls')
    expect(begun).to.deep.equal([])
    leave()
    leave()
    await third
    expect(begun, 'a slot is freed once').to.deep.equal(['third'])
  })

  it('let another client begin while one has all that it may have', async () => {
    const slots = new CallSlots(options)
    for (let i = 0; i < 2; i++) await slots.enter(of('203.0.113.1'))
    for (let i = 0; i < 2; i++) void slots.enter(of('203.0.113.1'))
    expect(await refusal(slots.enter(of('203.0.113.2')))).to.equal('entered')
  })

  it('bound the calls of all clients, and give a free slot to who has the fewest', async () => {
    const slots = new CallSlots({ ...options, maxWaiting: 2 })
    const [leave] = await Promise.all([
      slots.enter(of('203.0.113.1')),
      slots.enter(of('203.0.113.1')),
      slots.enter(of('203.0.113.2')),
    ])
    const begun: string[] = []
    void slots.enter(of('203.0.113.2')).then(() => begun.push('second'))
    const third = slots.enter(of('203.0.113.3')).then(() => begun.push('third'))
    expect(await refusal(slots.enter(of('203.0.113.4')))).to.equal('503 busy')
    expect(await refusal(slots.enter(of('127.0.0.1', true)))).to.equal('503 busy')
    leave()
    await third
    expect(begun).to.deep.equal(['third'])
  })

  it('tell a client that has none how it is, where nobody may wait', async () => {
    const slots = new CallSlots({ ...options, max: 1, maxWaiting: 0, maxWaitingOfClient: 0 })
    await slots.enter(of('203.0.113.1'))
    expect(await refusal(slots.enter(of('203.0.113.2')))).to.equal('503 busy')
  })

  it('end the wait after a while', async () => {
    const slots = new CallSlots({ ...options, max: 1, maxWaitMs: 1 })
    await slots.enter(of('203.0.113.1'))
    expect(await refusal(slots.enter(of('203.0.113.2')))).to.equal('503 busy')
  })
})
