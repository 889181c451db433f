import { expect } from 'chai'
import { ApiError } from '../../../platform/errors.ts'
import type { Slot, Slots } from '../../../platform/limits/slots.ts'
import { maxWaitingPerClient, statementSlots } from './statement-slots.ts'

const longMs = 1_000_000

/** Lets queued statements proceed. */
async function settle(): Promise<void> {
  for (let tick = 0; tick < 10; tick++) await Promise.resolve()
}

describe('statement slots', () => {
  /** Takes slots and records their order. */
  function crowd(turns: Slots): {
    take: (client: string) => Promise<void>
    end: () => Promise<void>
    readonly started: string[]
    readonly refused: [string, string][]
  } {
    const started: string[] = []
    const refused: [string, string][] = []
    const slots: Slot[] = []
    return {
      started,
      refused,
      take: async (client) => {
        turns.enter(client, { maxWaitMs: longMs }).then(
          (slot) => {
            started.push(client)
            slots.push(slot)
          },
          (error: unknown) => {
            const isOurs = error instanceof ApiError
            const seconds = isOurs ? String(error.details['retryAfterSeconds']) : ''
            refused.push([client, isOurs ? `${error.status} ${error.code} ${seconds}` : String(error)])
          },
        )
        await settle()
      },
      end: async () => {
        slots.shift()?.leave()
        await settle()
      },
    }
  }

  it('leave a slot for another client while one client sends many statements', async () => {
    const { take, started } = crowd(statementSlots(2, 1000))
    for (let count = 0; count < 50; count++) await take('10.0.0.1')
    await take('10.0.0.2')
    expect(started).to.deep.equal(['10.0.0.1', '10.0.0.2'])
  })

  it('name sessions that do not end as the cause when no slot is free in time', async () => {
    const slots = statementSlots(2, 1000)
    const [stuck, running] = [await slots.enter('a'), await slots.enter('b')]
    const codeOfNext = (): Promise<string> =>
      slots.enter('c', { maxWaitMs: 1 }).then(
        () => 'started',
        (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
      )
    expect(await codeOfNext()).to.equal('sql-busy')
    stuck.hold()
    expect(await codeOfNext()).to.equal('sql-stuck')
    running.leave()
    expect(await codeOfNext()).to.equal('started')
  })

  it('go to the client that started a statement least recently, in the order of its requests', async () => {
    const { take, end, started } = crowd(statementSlots(1, 1000))
    for (const client of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) await take(client)
    for (let count = 0; count < 6; count++) await end()
    expect(started).to.deep.equal(['a', 'b', 'c', 'a', 'b', 'a', 'a'])
  })

  it('have a queue per client and a shared queue, which one client cannot fill', async () => {
    const turns = statementSlots(2, 150)
    const { take, end, started, refused } = crowd(turns)
    for (let count = 0; count < maxWaitingPerClient + 2; count++) await take('a')
    expect(refused).to.deep.equal([['a', '429 too-many-statements 5']])
    for (let count = 0; count < 60; count++) await take('b')
    // The shared queue holds 150: statements of b replace the newest of a.
    expect(started).to.deep.equal(['a', 'b'])
    expect(refused.slice(1)).to.deep.equal(Array.from({ length: 9 }, () => ['a', '503 sql-busy 5']))
    await take('c')
    expect(refused.at(-1)).to.deep.equal(['a', '503 sql-busy 5'])
    for (let count = 0; count < 4; count++) await end()
    expect(started).to.include('c')
  })

  it('reject statements at once while stuck sessions hold all slots of a client', async () => {
    const turns = statementSlots(3, 1000)
    const code = (client: string) =>
      turns.enter(client, { maxWaitMs: longMs }).then(
        (slot) => {
          slot.leave()
          return 'started'
        },
        (error: unknown) => (error instanceof ApiError ? `${error.status} ${error.code}` : String(error)),
      )
    const slots = [await turns.enter('a', { maxWaitMs: longMs }), await turns.enter('a', { maxWaitMs: longMs })]
    const waiting = code('a')
    for (const slot of slots) slot.hold()
    expect([await waiting, await code('a'), await code('b')]).to.deep.equal([
      '503 sql-stuck',
      '503 sql-stuck',
      'started',
    ])
    slots.push(await turns.enter('b', { maxWaitMs: longMs }))
    const others = [code('b'), code('c')]
    slots[2]?.hold()
    slots[2]?.hold()
    expect(await Promise.all([...others, code('c')])).to.deep.equal(['503 sql-stuck', '503 sql-stuck', '503 sql-stuck'])
    slots[0]?.leave()
    expect(await Promise.all([code('a'), code('c')])).to.deep.equal(['started', 'started'])
  })

  it('are all available to the program itself', async () => {
    const turns = statementSlots(2, 1)
    const slots = [
      await turns.enter(undefined, { maxWaitMs: longMs }),
      await turns.enter(undefined, { maxWaitMs: longMs }),
    ]
    const third = turns.enter(undefined, { maxWaitMs: longMs })
    expect(await turns.enter(undefined, { maxWaitMs: longMs }).catch((error: unknown) => error)).to.deep.include({
      status: 503,
      code: 'sql-busy',
    })
    for (const slot of slots) slot.leave()
    const last = await third
    // A second call has no effect.
    last.leave()
    last.leave()
    const left = new AbortController()
    const [first, second] = [
      await turns.enter('a', { maxWaitMs: longMs }),
      await turns.enter('b', { maxWaitMs: longMs }),
    ]
    const waiting = turns.enter('c', { signal: left.signal, maxWaitMs: longMs }).catch((error: unknown) => error)
    left.abort()
    expect(await waiting).to.include({ code: 'sql-cancelled' })
    first.leave()
    second.leave()
  })
})
