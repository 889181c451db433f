import { expect } from 'chai'
import { ApiError } from '../errors.ts'
import { limitKey } from './clients.ts'
import { Slots } from './slots.ts'
import type { SlotsOptions } from './slots.ts'

const options: SlotsOptions = {
  what: 'calls',
  max: 3,
  maxPerClient: 2,
  maxWaiting: 4,
  maxWaitingPerClient: 2,
  maxWaitMs: 60_000,
}

const of = (address: string, isLocal = false): string | undefined => limitKey({ address, isLocal })

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
  it('run calls up to the limit per client, queue some, and reject the rest', async () => {
    const slots = new Slots(options)
    const { leave } = await slots.enter(of('2001:db8::1'))
    await slots.enter(of('2001:db8::2'))
    const started: string[] = []
    const third = slots.enter(of('2001:db8::3')).then(() => started.push('third'))
    void slots.enter(of('2001:db8::4')).then(() => started.push('fourth'))
    expect(await refusal(slots.enter(of('2001:db8::5')))).to.equal('429 too-many-calls')
    expect(started).to.deep.equal([])
    leave()
    leave()
    await third
    expect(started, 'a slot is freed once').to.deep.equal(['third'])
  })

  it('let another client start while one uses all of its slots', async () => {
    const slots = new Slots(options)
    for (let i = 0; i < 2; i++) await slots.enter(of('203.0.113.1'))
    for (let i = 0; i < 2; i++) void slots.enter(of('203.0.113.1'))
    expect(await refusal(slots.enter(of('203.0.113.2')))).to.equal('entered')
  })

  it('limit the calls of all clients, and give a free slot to the client with the fewest', async () => {
    const slots = new Slots({ ...options, maxWaiting: 2 })
    const [{ leave }] = await Promise.all([
      slots.enter(of('203.0.113.1')),
      slots.enter(of('203.0.113.1')),
      slots.enter(of('203.0.113.2')),
    ])
    const started: string[] = []
    void slots.enter(of('203.0.113.2')).then(() => started.push('second'))
    const third = slots.enter(of('203.0.113.3')).then(() => started.push('third'))
    expect(await refusal(slots.enter(of('203.0.113.4')))).to.equal('503 busy')
    expect(await refusal(slots.enter(of('127.0.0.1', true)))).to.equal('503 busy')
    leave()
    await third
    expect(started).to.deep.equal(['third'])
  })

  it('reject a new client with 503 if queueing is disabled', async () => {
    const slots = new Slots({ ...options, max: 1, maxWaiting: 0, maxWaitingPerClient: 0 })
    await slots.enter(of('203.0.113.1'))
    expect(await refusal(slots.enter(of('203.0.113.2')))).to.equal('503 busy')
  })

  it('drop the newest call of the client with the longest queue when a full queue gets a call of another client', async () => {
    const slots = new Slots({ ...options, max: 1, maxWaiting: 2 })
    await slots.enter(of('203.0.113.1'))
    void slots.enter(of('203.0.113.2'))
    const newest = refusal(slots.enter(of('203.0.113.2')))
    void slots.enter(of('203.0.113.3'))
    expect(await newest).to.equal('503 busy')
  })

  it('reject calls that would wait for calls without an end', async () => {
    const slots = new Slots({ ...options, max: 2, maxPerClient: 1 })
    const { hold, leave } = await slots.enter(of('203.0.113.1'))
    const waiting = refusal(slots.enter(of('203.0.113.1')))
    hold()
    expect(await waiting).to.equal('503 busy')
    expect(await refusal(slots.enter(of('203.0.113.1')))).to.equal('503 busy')
    expect(await refusal(slots.enter(of('203.0.113.2')))).to.equal('entered')
    leave()
    expect(await refusal(slots.enter(of('203.0.113.1')))).to.equal('entered')
  })

  it('end the wait of a disconnected caller', async () => {
    const slots = new Slots({ ...options, max: 1 })
    await slots.enter(of('203.0.113.1'))
    const controller = new AbortController()
    const waiting = slots.enter(of('203.0.113.2'), { signal: controller.signal }).catch((error: unknown) => error)
    const reason = new Error('gone')
    controller.abort(reason)
    expect(await waiting).to.equal(reason)
  })

  it('end the wait after a timeout', async () => {
    const slots = new Slots({ ...options, max: 1, maxWaitMs: 1 })
    await slots.enter(of('203.0.113.1'))
    expect(await refusal(slots.enter(of('203.0.113.2')))).to.equal('503 busy')
  })
})
