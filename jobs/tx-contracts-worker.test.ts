import { expect } from 'chai'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRow } from '../test/support/collected-rows.ts'
import { decodedRecording, rangeOf } from '../test/support/decoded-recording.ts'
import { annotatedTransactions } from '../test/support/recording-annotations.ts'
import type { AnnotatedTransaction } from '../test/support/recording-annotations.ts'
import { txContractsWorker } from './tx-contracts-worker.ts'

function has({ tx_indexes: indexes }: CollectedRow, index: number): boolean {
  return Array.isArray(indexes) && indexes.includes(index)
}

describe('tx_contracts_worker', () => {
  let blocks: readonly DecodedBlock[]
  let noted: readonly AnnotatedTransaction[]
  let contracts: CollectedRow[]
  let tags: CollectedRow[]
  const of = (rows: readonly CollectedRow[], column: string, label: string): unknown[] => {
    const place = noted.find((one) => one.label === label)
    if (place === undefined) throw new Error(`no transaction is called ${label}`)
    const isThere = (row: CollectedRow): boolean => row['block_height'] === place.height && has(row, place.index)
    return rows.filter(isThere).map((row) => row[column])
  }

  before(async () => {
    blocks = await decodedRecording('base')
    noted = await annotatedTransactions('base')
    const output = collect(txContractsWorker, rangeOf(blocks, { from: 0, to: blocks.length }))
    expect(output.problems).to.deep.equal([])
    contracts = output.of('app.tx_contracts')
    tags = output.of('app.tx_tags')
  })

  it('lists the contracts that a script imports', () => {
    expect(of(contracts, 'contract', 'flow/transfer')).to.deep.equal([
      'A.0ae53cb6e3f42a79.FlowToken',
      'A.ee82856bf20e2aa6.FungibleToken',
    ])
    expect(of(contracts, 'contract', 'market/buy')).to.include('A.f8d6e0586b0a20c7.NFTStorefrontV2')
    // The imports of a deployed contract do not count.
    expect(of(contracts, 'contract', 'contract/deploy-many-imports')).to.deep.equal([])
    // Unresolved names. Core contracts are known without resolution.
    expect(of(contracts, 'contract', 'fail/string-import-unresolved')).to.deep.equal([
      'A.0ae53cb6e3f42a79.FlowToken',
      'A.ee82856bf20e2aa6.FungibleToken',
    ])
  })

  it('excludes the system transactions at the end of blocks', () => {
    const system = blocks.flatMap(({ height, transactions }) =>
      transactions.filter(({ isSystem }) => isSystem).map(({ index }) => ({ height, index })),
    )
    expect(system.length).to.be.greaterThan(500)
    for (const { height, index } of system) {
      const rows = contracts.filter((row) => row['block_height'] === height && has(row, index))
      expect(rows, `${height}.${index}`).to.deep.equal([])
    }
  })

  it('tags transactions', () => {
    for (const [label, expected] of [
      ['flow/transfer', ['FT_TRANSFER']],
      ['flow/mint', ['FT_TRANSFER', 'TOKEN_MINT']],
      ['flow/burn', ['FT_TRANSFER', 'TOKEN_BURN']],
      ['ft/mint', ['FT_TRANSFER', 'TOKEN_MINT']],
      ['ft/burn', ['FT_TRANSFER', 'TOKEN_BURN']],
      ['nft/transfer', ['NFT_TRANSFER']],
      ['market/list', ['MARKETPLACE']],
      ['market/buy', ['FT_TRANSFER', 'MARKETPLACE', 'NFT_TRANSFER']],
      ['defi/swap', ['FT_TRANSFER', 'SWAP']],
      ['defi/add', ['FT_TRANSFER', 'LIQUIDITY', 'TOKEN_MINT']],
      ['evm/deposit-to-address', ['EVM', 'EVM_BRIDGE', 'FT_TRANSFER']],
      ['evm/run-value-transfer-1559', ['EVM']],
      ['key/add', ['KEY_UPDATE']],
      ['contract/update', ['CONTRACT_DEPLOY']],
      ['schedule/ring', ['FT_TRANSFER', 'SCHEDULED_TX']],
      ['staking/register-node', ['FT_TRANSFER', 'STAKING']],
      ['fail/panic', []],
      ['noop/no-authorizer', []],
    ] as const) {
      expect(of(tags, 'tag', label), label).to.deep.equal(expected)
    }
  })

  it('tags runs of scheduled transactions, including failed ones', () => {
    const runs = blocks.flatMap(({ height, transactions }) =>
      transactions
        .slice(0, -1)
        .flatMap(({ index, isSystem }) =>
          isSystem ? tags.filter((row) => row['block_height'] === height && has(row, index)) : [],
        ),
    )
    const withEvents = blocks.flatMap(({ transactions }) =>
      transactions.filter(
        ({ isSystem, events }) => isSystem && events.some(({ type }) => type.includes('.FlowTransactionScheduler.')),
      ),
    )
    expect(withEvents.length).to.be.greaterThan(5)
    // One execution failed and has no identifying events.
    expect(runs.filter((row) => row['tag'] === 'SCHEDULED_TX').length).to.equal(withEvents.length + 1)
  })

  it('writes rows in the order of their keys', () => {
    for (const [rows, column] of [
      [contracts, 'contract'],
      [tags, 'tag'],
    ] as const) {
      const keys = rows.map((row) => `${String(row[column])} ${String(row['block_height']).padStart(9, '0')}`)
      expect(keys).to.deep.equal(keys.toSorted())
      expect(new Set(keys).size).to.equal(keys.length)
    }
  })
})
