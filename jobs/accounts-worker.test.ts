import { expect } from 'chai'
import type { DecodedEvent, DecodedTransaction } from '../src/flow/decoded-block.ts'
import type { PayloadFields } from '../src/flow/payload-value.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRow, CollectedRows } from '../test/support/collected-rows.ts'
import { decodedTransaction } from '../test/support/hand-made-blocks.ts'
import { accountsWorker } from './accounts-worker.ts'

const [alice, bob, carol] = ['0x00000000000000a1', '0x00000000000000b0', '0x00000000000000c0']
const zero = '0x0000000000000000'
const coa = '000000000000000000000002a793620000000000'

function transaction(index: number, rest: Partial<DecodedTransaction>): DecodedTransaction {
  return decodedTransaction({ index, ...rest })
}

function derive(...transactions: readonly DecodedTransaction[]): CollectedRows {
  return collect(accountsWorker, {
    from: 7,
    to: 8,
    blocks: [{ height: 7, id: Buffer.alloc(32), timestampUs: 0, transactions }],
  })
}

const created = (fields: PayloadFields | undefined): DecodedEvent => ({ type: 'flow.AccountCreated', index: 3, fields })
const coaCreated = (index: number, fields: PayloadFields): DecodedEvent => ({
  type: 'A.f8d6e0586b0a20c7.EVM.CadenceOwnedAccountCreated',
  index,
  fields,
})
const issued = (
  index: number,
  address: string,
  type = '&A.f8d6e0586b0a20c7.EVM.CadenceOwnedAccount',
): DecodedEvent => ({
  type: 'flow.StorageCapabilityControllerIssued',
  index,
  fields: { id: '1', address, type, path: '/storage/evm' },
})

/** Roles as letters: payer, proposer, authorizer, created. */
function rolesOf(row: CollectedRow): string {
  const letters = [
    ['is_payer', 'P'],
    ['is_proposer', 'R'],
    ['is_authorizer', 'A'],
    ['is_created', 'C'],
  ] as const
  const has = letters.map(([column, letter]) => (row[column] === true ? letter : '')).join('')
  return [row['tx_index'], row['address'], has, row['gas_used']].map(String).join(' ')
}

const roles = (output: CollectedRows): string[] => output.of('app.address_transactions').map(rolesOf)
const owners = (output: CollectedRows): unknown[] =>
  output
    .of('app.coa_accounts')
    .map((row) => ['event_index', 'coa_address', 'flow_address', 'owner_evidence'].map((column) => row[column]))

describe('accounts_worker', () => {
  it('lists each account of a transaction once with its roles', () => {
    const rows = roles(
      derive(
        transaction(0, { payer: carol, proposer: bob, authorizers: [alice, bob], gasUsed: 9n }),
        transaction(1, { payer: alice, proposer: alice, gasUsed: undefined }),
      ),
    )
    expect(rows).to.deep.equal([`0 ${alice} A null`, `1 ${alice} PR null`, `0 ${bob} RA null`, `0 ${carol} P 9`])
  })

  it('skips the zero address and system transactions', () => {
    expect(
      roles(
        derive(
          transaction(0, { payer: zero, proposer: zero, authorizers: [zero] }),
          transaction(1, { isSystem: true, payer: alice, proposer: alice, authorizers: [alice] }),
        ),
      ),
    ).to.deep.equal([])
  })

  it('records the creating transaction, including system transactions', () => {
    expect(
      roles(
        derive(
          transaction(0, { payer: alice, events: [created({ address: bob })] }),
          transaction(1, { payer: bob, events: [created({ address: carol })] }),
          transaction(2, { isSystem: true, payer: alice, events: [created({ address: '0x00000000000000d0' })] }),
        ),
      ),
    ).to.deep.equal([
      `0 ${alice} P 0`,
      `0 ${bob} C null`,
      `1 ${bob} P 0`,
      `1 ${carol} C null`,
      '2 0x00000000000000d0 C null',
    ])
  })

  it('records a problem for a creation without an address', () => {
    const output = derive(transaction(0, { events: [created({ address: null }), created({}), created(undefined)] }))
    expect(roles(output)).to.deep.equal([])
    const places = output.problems.map(({ code, blockHeight, txIndex, eventIndex }) => [
      code,
      blockHeight,
      txIndex,
      eventIndex,
    ])
    expect(places).to.deep.equal([
      ['account-event-shape', 7, 0, 3],
      ['account-event-shape', 7, 0, 3],
    ])
  })

  describe('of EVM accounts', () => {
    it('reads all versions of the event', () => {
      const versions: readonly PayloadFields[] = [
        { address: coa, uuid: '5' },
        { address: coa },
        { address: `0x${coa}` },
        { addressBytes: `0x${coa}` },
      ]
      for (const fields of versions) {
        const output = derive(transaction(0, { authorizers: [alice], events: [coaCreated(1, fields)] }))
        expect(output.problems).to.deep.equal([])
        expect(owners(output)).to.deep.equal([[1, `0x${coa}`, alice, 'only_account']])
      }
    })

    it('ignores contracts of that name in other accounts and records a problem for other fields', () => {
      const type = 'A.00000000000000a1.EVM.CadenceOwnedAccountCreated'
      const elsewhere = { ...coaCreated(1, { address: coa }), type }
      expect(owners(derive(transaction(0, { events: [elsewhere] })))).to.deep.equal([])
      const output = derive(transaction(0, { events: [coaCreated(4, { address: 'x' })] }))
      expect(owners(output)).to.deep.equal([])
      expect(output.problems).to.have.length(1)
      expect(output.problems[0]).to.include({ code: 'coa-event-shape', txIndex: 0, eventIndex: 4 })
    })

    it('finds the owner by its capability, independent of the authorizers', () => {
      const other = issued(2, alice, '&A.f8d6e0586b0a20c7.EVM.CadenceOwnedAccountX')
      const events = [issued(0, carol), coaCreated(1, { address: coa }), other, issued(3, bob)]
      for (const authorizers of [[alice], [alice, bob], []]) {
        const found = owners(derive(transaction(0, { authorizers, events })))
        expect(found).to.deep.equal([[1, `0x${coa}`, bob, 'capability']])
      }
      const entitled = 'auth(A.f8d6e0586b0a20c7.EVM.Call)&A.f8d6e0586b0a20c7.EVM.CadenceOwnedAccount'
      const output = derive(transaction(0, { events: [coaCreated(1, { address: coa }), issued(2, carol, entitled)] }))
      expect(owners(output)).to.deep.equal([[1, `0x${coa}`, carol, 'capability']])
    })

    it('leaves the owner open if several accounts are possible', () => {
      const creation = coaCreated(4, { address: coa })
      for (const [authorizers, events] of [
        [[alice, bob], [creation]],
        [[alice], [created({ address: bob }), creation]],
        [[alice], [creation, issued(5, bob), issued(6, carol)]],
        [[], [creation]],
      ] as const) {
        expect(owners(derive(transaction(0, { authorizers, events })))).to.deep.equal([[4, `0x${coa}`, null, null]])
      }
      const byChain = transaction(0, { isSystem: true, authorizers: [alice], events: [creation] })
      expect(owners(derive(byChain))).to.deep.equal([[4, `0x${coa}`, null, null]])
    })

    it('assigns each of several to the account that issued a capability before the next creation', () => {
      const other = coa.replace('a79', 'b80')
      const events = [
        coaCreated(0, { address: coa }),
        issued(1, alice),
        coaCreated(2, { address: other }),
        issued(3, bob),
      ]
      expect(owners(derive(transaction(0, { authorizers: [carol], events })))).to.deep.equal([
        [0, `0x${coa}`, alice, 'capability'],
        [2, `0x${other}`, bob, 'capability'],
      ])
    })
  })
})
