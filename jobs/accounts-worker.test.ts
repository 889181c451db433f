import { expect } from 'chai'
import type { DecodedTransaction } from '../src/chain/decoded-block.ts'
import type { PayloadFields } from '../src/chain/payload-value.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRows } from '../test/support/collected-rows.ts'
import { accountsWorker } from './accounts-worker.ts'

const [alice, bob, carol] = ['0x00000000000000a1', '0x00000000000000b0', '0x00000000000000c0']
const zero = '0x0000000000000000'

function transaction(index: number, rest: Partial<DecodedTransaction>): DecodedTransaction {
  return {
    index, id: Buffer.alloc(32), isSystem: false, payer: undefined, proposer: undefined, authorizers: [],
    scriptHash: Buffer.alloc(32), script: '', statusCode: 0, isEvm: false, gasUsed: 0n, events: [], ...rest,
  }
}

function derive(...transactions: readonly DecodedTransaction[]): CollectedRows {
  return collect(accountsWorker, {
    from: 7, to: 8, blocks: [{ height: 7, id: Buffer.alloc(32), timestampUs: 0, transactions }],
  })
}

const created = (fields: PayloadFields | undefined) => ({ type: 'flow.AccountCreated', index: 3, fields })

describe('accounts_worker', () => {
  it('sees each account of a block once, in the order of addresses', () => {
    const rows = derive(
      transaction(0, { payer: carol, proposer: bob, authorizers: [alice, bob] }),
      transaction(1, { payer: alice, proposer: alice }),
    ).of('app.account_sightings')
    const expected = [alice, bob, carol].map((address) => ({ block_height: 7, address, created_tx_index: null }))
    expect(rows).to.deep.equal(expected)
  })

  it('passes over nobody, and over who authorizes for the chain itself', () => {
    const output = derive(
      transaction(0, { payer: zero, proposer: zero, authorizers: [zero] }),
      transaction(1, { isSystem: true, payer: alice, proposer: alice, authorizers: [alice] }),
    )
    expect(output.of('app.account_sightings')).to.deep.equal([])
  })

  it('knows which transaction created an account, whether it was used before or after', () => {
    const rows = derive(
      transaction(0, { payer: alice, events: [created({ address: bob })] }),
      transaction(1, { payer: bob, events: [created({ address: carol })] }),
      transaction(2, { isSystem: true, events: [created({ address: '0x00000000000000d0' })] }),
    ).of('app.account_sightings')
    expect(rows.map(({ address, created_tx_index: by }) => [address, by])).to.deep.equal([
      [alice, null], [bob, 0], [carol, 1], ['0x00000000000000d0', 2],
    ])
  })

  it('makes a problem of a creation that does not say of what', () => {
    const output = derive(transaction(0, { events: [created({ address: null }), created({}), created(undefined)] }))
    expect(output.of('app.account_sightings')).to.deep.equal([])
    const places = output.problems.map(({ code, blockHeight, txIndex, eventIndex }) =>
      [code, blockHeight, txIndex, eventIndex])
    expect(places).to.deep.equal([['account-event-shape', 7, 0, 3], ['account-event-shape', 7, 0, 3]])
  })
})
