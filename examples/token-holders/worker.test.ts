import { expect } from 'chai'
import { deriveRows } from 'flowfarm/worker-test'
import events from './events.json' with { type: 'json' }
import worker from './worker.ts'

describe('token-holders', () => {
  const [deposit] = events.filter(({ name }) => name === 'Deposited')

  it('writes the balance after a deposit', async () => {
    const { changes } = await deriveRows(worker, [deposit])
    expect(changes).to.deep.equal([
      {
        day: deposit?.timestamp.slice(0, 10),
        vault: deposit?.fields.toUUID,
        owner: deposit?.fields.to,
        balance: deposit?.fields.balanceAfter,
      },
    ])
  })

  it('writes the balance after a withdrawal', async () => {
    const withdrawals = events.filter(({ name, fields }) => name === 'Withdrawn' && fields.from !== null)
    const { changes } = await deriveRows(worker, withdrawals)
    expect(changes.map(({ owner }) => owner)).to.deep.equal(withdrawals.map(({ fields }) => fields.from))
  })

  it('leaves out other tokens and vaults without an owner', async () => {
    const others = [
      { ...deposit, fields: { ...deposit?.fields, type: 'A.0000000000000001.Other.Vault' } },
      { ...deposit, fields: { ...deposit?.fields, to: null } },
    ]
    expect((await deriveRows(worker, others)).changes).to.deep.equal([])
  })
})
