import { expect } from 'chai'
import { deriveRows } from 'flowfarm/worker-test'
import events from './events.json' with { type: 'json' }
import worker from './worker.ts'

describe('token-holders', () => {
  const [deposit] = events.filter(({ name }) => name === 'Deposited')

  it('writes what a deposit changes', async () => {
    const { changes } = await deriveRows(worker, [deposit])
    expect(changes).to.deep.equal([
      { day: deposit?.timestamp.slice(0, 10), owner: deposit?.fields.to, amount: deposit?.fields.amount },
    ])
  })

  it('subtracts withdrawals', async () => {
    const { changes } = await deriveRows(
      worker,
      events.filter(({ name }) => name === 'Withdrawn'),
    )
    expect(changes.length).to.be.greaterThan(0)
    for (const { amount } of changes) expect(amount).to.match(/^-/)
  })

  it('leaves out other tokens and vaults without an owner', async () => {
    const others = [
      { ...deposit, fields: { ...deposit?.fields, type: 'A.0000000000000001.Other.Vault' } },
      { ...deposit, fields: { ...deposit?.fields, to: null } },
    ]
    expect((await deriveRows(worker, others)).changes).to.deep.equal([])
  })
})
