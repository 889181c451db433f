import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { commitTransfers, makeOwner, subscribe } from './support/hook-world.ts'
import { startReceiver } from './support/receiver.ts'
import type { Received, Receiver } from './support/receiver.ts'

const subscriptions = 20
const blocks = 50
const transfersOfBlock = 10
const expected = subscriptions * blocks * transfersOfBlock

describe('webhooks of a killed process', () => {
  let database: TestDatabase
  let receiver: Receiver
  const running = new Set<ChildProcess>()
  before(async () => {
    database = await createTestDatabase()
  })
  after(async () => {
    for (const process of running) await kill(process)
    await receiver.stop()
    await database.drop()
  })

  async function start(): Promise<ChildProcess> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'support/hooks-process.ts'), database.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    running.add(child)
    await once(child.stdout, 'data')
    return child
  }

  async function kill(child: ChildProcess): Promise<void> {
    running.delete(child)
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  it('lose none of 10,000 deliveries, repeat only by id, and keep the order per subscription', async () => {
    const secrets = new Map<string, string>()
    receiver = await startReceiver({ secrets })
    await commitTransfers(database, 0, [[]])
    const owner = await makeOwner(database)
    for (let i = 0; i < subscriptions; i++) {
      const { secret } = await subscribe(database, owner, `${receiver.url}/${i}`)
      secrets.set(`/${i}`, secret)
    }
    let child = await start()
    for (let first = 1; first <= blocks; first += 5) {
      await commitTransfers(
        database,
        first,
        Array.from({ length: 5 }, (_, i) =>
          Array.from({ length: transfersOfBlock }, (_one, nth) => ({ amount: String((first + i) * 100 + nth) })),
        ),
      )
    }
    const kills: { readonly at: number }[] = []
    for (const share of [0.2, 0.5]) {
      await receiver.until((received) => received.length >= expected * share)
      await kill(child)
      child = await start()
      kills.push({ at: performance.now() })
    }
    const ids = new Set<string>()
    let seen = 0
    await receiver.until((received) => {
      for (; seen < received.length; seen++) ids.add(received[seen]?.id ?? '')
      return ids.size === expected
    })

    expect(receiver.problems).to.deep.equal([])
    const bodies = new Map<string, string>()
    for (const { id, body } of receiver.received) {
      const text = JSON.stringify(body)
      expect(bodies.get(id) ?? text).to.equal(text)
      bodies.set(id, text)
    }
    for (const own of Map.groupBy(receiver.received, ({ path }) => path).values()) {
      const amounts = firstOfEach(own).map(({ body }) => Number(body.data['amount']))
      expect(amounts).to.have.length(blocks * transfersOfBlock)
      expect(amounts).to.deep.equal([...amounts].sort((a, b) => a - b))
      expect(new Set(amounts).size).to.equal(amounts.length)
      // Includes a subscription that the killed process was serving.
      for (const { at } of kills) {
        const next = own.find((one) => one.at > at)
        if (next !== undefined) expect(next.at - at).to.be.below(8000)
      }
    }
  })
})

function firstOfEach(received: readonly Received[]): Received[] {
  return [...Map.groupBy(received, ({ id }) => id).values()].flatMap((same) => same.slice(0, 1))
}
