import { expect } from 'chai'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { CommandLine } from '../support/command-line.ts'
import { alice, bob, commitTransfers, runHooks } from '../webhooks/support/hook-world.ts'
import type { RunningHooks } from '../webhooks/support/hook-world.ts'

describe('the receiver of webhooks', () => {
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

  it('prints what is sent for an account, verified, and leaves nothing behind', async function () {
    this.timeout(60_000)
    const receiver = new CommandLine('webhook-receiver', ['--address', bob, '--count', '2'], { DB_URL: database.url })
    await receiver.said(/Waiting at http/)
    await commitTransfers(database, 1, [[{ to: alice, amount: '7' }, { amount: '8' }, { amount: '9' }]])
    const { code, stdout, stderr } = await receiver.ended
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout.match(/signature good/g)).to.have.length(2)
    expect([...stdout.matchAll(/"amount":"(\d)"/g)].map(([, amount]) => amount)).to.deep.equal(['8', '9'])
    const { rows } = await database.pool.query('select from app.webhook_endpoints')
    expect(rows).to.deep.equal([])
    expect((await database.pool.query('select from app.developer_keys where revoked_at is null')).rowCount).to.equal(0)
  })
})
