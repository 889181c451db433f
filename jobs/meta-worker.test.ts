import { expect } from 'chai'
import type { DecodedBlock, DecodedEvent, DecodedTransaction } from '../src/flow/decoded-block.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRow, CollectedRows } from '../test/support/collected-rows.ts'
import { decodedRecording, rangeOf } from '../test/support/decoded-recording.ts'
import { annotatedTransactions } from '../test/support/recording-annotations.ts'
import type { AnnotatedTransaction } from '../test/support/recording-annotations.ts'
import { accountsWorker } from './accounts-worker.ts'
import { metaWorker } from './meta-worker.ts'

const address = '0x00000000000000a1'
const hash = `0x${'1a'.repeat(32)}`

function derive(...events: readonly DecodedEvent[]): CollectedRows {
  const transaction: DecodedTransaction = {
    index: 2,
    id: Buffer.alloc(32),
    isSystem: false,
    payer: address,
    proposer: address,
    authorizers: [address],
    scriptHash: Buffer.alloc(32),
    script: '',
    statusCode: 0,
    isEvm: false,
    gasUsed: 0n,
    events,
  }
  const block: DecodedBlock = { height: 7, id: Buffer.alloc(32), timestampUs: 0, transactions: [transaction] }
  return collect(metaWorker, { from: 7, to: 8, blocks: [block] })
}

const placeOf = (row: CollectedRow): string => [row['block_height'], row['tx_index']].map(String).join(' ')

describe('meta_worker', () => {
  it('writes a row per contract change, also for two in one transaction', () => {
    const rows = derive(
      { type: 'flow.AccountContractAdded', index: 0, fields: { address, codeHash: hash, contract: 'A' } },
      { type: 'flow.AccountContractUpdated', index: 1, fields: { address, codeHash: hash, contract: 'A' } },
      { type: 'flow.AccountContractRemoved', index: 4, fields: { address, codeHash: hash, contract: 'A' } },
    ).of('app.contract_versions')
    const place = { block_height: 7, tx_index: 2, address, name: 'A', code_hash: hash.slice(2) }
    expect(rows).to.deep.equal([
      { ...place, event_index: 0, change: 'added' },
      { ...place, event_index: 1, change: 'updated' },
      { ...place, event_index: 4, change: 'removed' },
    ])
  })

  it('records a problem and no row for malformed events', () => {
    const fields = { address, codeHash: hash, contract: 'A' }
    const shapes = [
      { ...fields, address: 'a1' },
      { ...fields, codeHash: '0x1a' },
      { ...fields, codeHash: [] },
      { ...fields, contract: '' },
      { ...fields, contract: 'A.B' },
      { address, codeHash: hash },
    ]
    const output = derive(
      ...shapes.map((shape, index) => ({ type: 'flow.AccountContractAdded', index, fields: shape })),
      { type: 'flow.AccountKeyRemoved', index: 9, fields: { address, publicKey: null } },
      { type: 'flow.AccountContractAdded', index: 10, fields: undefined },
    )
    expect(output.of('app.contract_versions')).to.deep.equal([])
    expect(output.of('app.account_key_changes')).to.deep.equal([])
    expect(output.problems.map(({ code, eventIndex }) => `${code} ${eventIndex}`).toSorted()).to.deep.equal([
      'account-key-event-shape 9',
      ...shapes.map((_, i) => `contract-event-shape ${i}`),
    ])
  })

  for (const encoding of ['ccf', 'json-cdc'] as const) {
    describe(`with recorded transactions in ${encoding}`, () => {
      let blocks: readonly DecodedBlock[]
      let noted: readonly AnnotatedTransaction[]
      let meta: CollectedRows
      let accounts: CollectedRows

      before(async () => {
        blocks = await decodedRecording('base', { encoding })
        noted = await annotatedTransactions('base')
        meta = collect(metaWorker, rangeOf(blocks, { from: 0, to: blocks.length }))
        accounts = collect(accountsWorker, rangeOf(blocks, { from: 0, to: blocks.length }))
        expect([...meta.problems, ...accounts.problems]).to.deep.equal([])
      })

      /** Rows of transactions with a label, and their number. */
      const labelled = (
        output: CollectedRows,
        table: string,
        label: string,
      ): { readonly rows: readonly CollectedRow[]; readonly count: number } => {
        const those = noted.filter((one) => one.label === label && one.outcome === 'ok')
        const places = new Set(those.map(({ height, index }) => `${height} ${index}`))
        return { rows: output.of(table).filter((row) => places.has(placeOf(row))), count: those.length }
      }
      const authorizerOf = (row: CollectedRow): string | undefined =>
        blocks[Number(row['block_height'])]?.transactions[Number(row['tx_index'])]?.authorizers[0]

      it('has one key per addition and a revocation by index per revocation', () => {
        for (const [label, isRemoved] of [
          ['key/add', false],
          ['key/revoke', true],
        ] as const) {
          const { rows, count } = labelled(meta, 'app.account_key_changes', label)
          expect(count).to.be.greaterThan(10)
          expect(rows, label).to.have.length(count)
          for (const row of rows) {
            expect(row).to.include({ is_removed: isRemoved, address: authorizerOf(row) })
            expect(row['key_index']).to.be.a('number')
            expect(row['public_key'] === null).to.equal(isRemoved)
          }
        }
      })

      it('counts the keys of each account that is created with several', () => {
        const { rows, count } = labelled(meta, 'app.account_key_changes', 'account/create')
        expect(count).to.equal(5)
        for (const keys of Map.groupBy(rows, (row) => row['address']).values()) {
          expect(keys.map((row) => row['key_index'])).to.deep.equal(keys.map((_, i) => i))
        }
      })

      it('has contracts that were deployed, updated and removed', () => {
        for (const [label, change] of [
          ['contract/deploy', 'added'],
          ['contract/deploy-ft', 'added'],
          ['contract/update', 'updated'],
          ['contract/remove', 'removed'],
        ] as const) {
          const { rows, count } = labelled(meta, 'app.contract_versions', label)
          expect(rows, label).to.have.length(count)
          for (const row of rows) expect(row, label).to.include({ change, address: authorizerOf(row) })
        }
      })

      it('has the owner of each COA', () => {
        const { rows, count } = labelled(accounts, 'app.coa_accounts', 'evm/coa-create')
        expect(rows).to.have.length(count)
        for (const row of rows) {
          expect(row).to.include({ flow_address: authorizerOf(row), owner_evidence: 'capability' })
        }
      })

      it('has all accounts of multi-party transactions and of those without authorizers', () => {
        const roles = (label: string): string[] =>
          labelled(accounts, 'app.address_transactions', label).rows.map((row) =>
            ['is_payer', 'is_proposer', 'is_authorizer'].filter((role) => row[role] === true).join(' '),
          )
        expect(roles('multi-auth/four').filter((role) => role.includes('is_authorizer'))).to.have.length(4)
        expect(new Set(roles('noop/no-authorizer'))).to.deep.equal(new Set(['is_payer is_proposer']))
        const separate = roles('flow/separate-payer-and-proposer')
        expect(separate).to.include.members(['is_payer', 'is_proposer', 'is_authorizer'])
      })

      it('counts failed transactions too', () => {
        const failed = noted.filter(({ outcome }) => outcome === 'fail')
        expect(failed.length).to.be.greaterThan(20)
        const places = new Set(accounts.of('app.address_transactions').map(placeOf))
        for (const { height, index } of failed) expect(places.has(`${height} ${index}`)).to.equal(true)
      })
    })
  }
})
