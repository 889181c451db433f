import { once } from 'node:events'
import { expect } from 'chai'
import { standardSignature } from '../../src/webhooks/signature.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { CommandLine } from '../support/command-line.ts'
import { alice, bob, commitTransfers, runHooks } from '../webhooks/support/hook-world.ts'
import type { RunningHooks } from '../webhooks/support/hook-world.ts'

describe('webhook receiver', () => {
  let database: TestDatabase
  let hooks: RunningHooks
  before(async () => {
    database = await createTestDatabase()
    await commitTransfers(database, 0, [[]])
    hooks = await runHooks(database.url)
  })
  after(async () => {
    await hooks.stop()
    await database.drop()
  })

  it('prints verified deliveries for an account, and cleans up', async () => {
    const receiver = new CommandLine('webhook-receiver', ['--address', bob, '--count', '2'], { DB_URL: database.url })
    await receiver.printed(/Waiting for messages at http/)
    await commitTransfers(database, 1, [[{ to: alice, amount: '7' }, { amount: '8' }, { amount: '9' }]])
    const { code, stdout, stderr } = await receiver.ended
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout.match(/signature good/g)).to.have.length(2)
    expect([...stdout.matchAll(/"amount":"(\d)"/g)].map(([, amount]) => amount)).to.deep.equal(['8', '9'])
    const { rows } = await database.pool.query('select from app.webhook_endpoints')
    expect(rows).to.deep.equal([])
    expect((await database.pool.query('select from app.developer_keys where revoked_at is null')).rowCount).to.equal(0)
  })

  it('only listens if a secret is given, and reports invalid signatures', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const receiver = new CommandLine('webhook-receiver', ['--secret', secret, '--count', '2'], {})
    const [output] = (await once(receiver.child.stdout, 'data')) as [string]
    const [url = ''] = /http:\S+/.exec(output) ?? []
    const post = async (id: string, key: Buffer): Promise<number> => {
      const message = { id, timestamp: Math.floor(Date.now() / 1000), body: '{}' }
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(message.timestamp),
        'webhook-signature': standardSignature(message, [key]),
      }
      return (await fetch(url, { method: 'POST', body: message.body, headers })).status
    }
    expect([await post('msg_1_1', Buffer.alloc(32, 7)), await post('msg_1_2', Buffer.alloc(32, 8))]).to.deep.equal([
      204, 401,
    ])
    const { code, stdout } = await receiver.ended
    expect(code).to.equal(0)
    expect(stdout).to.include('signature good  msg_1_1').and.to.include('SIGNATURE WRONG  msg_1_2')
  })
})
