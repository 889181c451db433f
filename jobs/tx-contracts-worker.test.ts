import { expect } from 'chai'
import type { DecodedBlock } from '../src/chain/decoded-block.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRow } from '../test/support/collected-rows.ts'
import { decodedRecording, rangeOf } from '../test/support/decoded-recording.ts'
import { notedTransactions } from '../test/support/recording-notes.ts'
import type { NotedTransaction } from '../test/support/recording-notes.ts'
import { txContractsWorker } from './tx-contracts-worker.ts'

describe('tx_contracts_worker', () => {
  let blocks: readonly DecodedBlock[]
  let noted: readonly NotedTransaction[]
  let contracts: CollectedRow[]
  let tags: CollectedRow[]
  const of = (rows: readonly CollectedRow[], column: string, label: string): unknown[] => {
    const place = noted.find((one) => one.label === label)
    if (place === undefined) throw new Error(`no transaction is called ${label}`)
    const isThere = (row: CollectedRow): boolean =>
      row['block_height'] === place.height && row['tx_index'] === place.index
    return rows.filter(isThere).map((row) => row[column])
  }

  before(async () => {
    blocks = await decodedRecording('base')
    noted = await notedTransactions('base')
    const output = collect(txContractsWorker, rangeOf(blocks, { from: 0, to: blocks.length }))
    expect(output.problems).to.deep.equal([])
    contracts = output.of('app.tx_contracts')
    tags = output.of('app.tx_tags')
  })

  it('names the contracts that a script imports', () => {
    expect(of(contracts, 'contract', 'flow/transfer')).to.deep.equal([
      'A.0ae53cb6e3f42a79.FlowToken', 'A.ee82856bf20e2aa6.FungibleToken',
    ])
    expect(of(contracts, 'contract', 'market/buy')).to.include('A.f8d6e0586b0a20c7.NFTStorefrontV2')
    // Deploying a contract that imports imports nothing.
    expect(of(contracts, 'contract', 'contract/deploy-many-imports')).to.deep.equal([])
    // Names that nobody resolved; the chain's own contracts are known all the same.
    expect(of(contracts, 'contract', 'fail/string-import-unresolved')).to.deep.equal([
      'A.0ae53cb6e3f42a79.FlowToken', 'A.ee82856bf20e2aa6.FungibleToken',
    ])
  })

  it('leaves out the imports of the transactions that end every block', () => {
    const system = blocks.flatMap(({ height, transactions }) =>
      transactions.filter(({ isSystem }) => isSystem).map(({ index }) => `${height}.${index}`))
    const withRows = new Set(contracts.map((row) => `${String(row['block_height'])}.${String(row['tx_index'])}`))
    expect(system.length).to.be.greaterThan(500)
    expect(system.filter((place) => withRows.has(place))).to.deep.equal([])
  })

  it('tags what transactions did', () => {
    for (const [label, expected] of [
      ['flow/transfer', ['FT_TRANSFER']],
      ['flow/burn', []],
      ['ft/mint', ['FT_TRANSFER', 'TOKEN_MINT']],
      ['ft/burn', ['TOKEN_BURN']],
      ['nft/transfer', ['NFT_TRANSFER']],
      ['market/list', ['MARKETPLACE']],
      ['market/buy', ['FT_TRANSFER', 'MARKETPLACE', 'NFT_TRANSFER']],
      ['defi/swap', ['FT_TRANSFER', 'SWAP']],
      ['defi/add', ['FT_TRANSFER', 'LIQUIDITY']],
      ['evm/deposit-to-address', ['EVM', 'EVM_BRIDGE']],
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

  it('writes rows in the order of their keys', () => {
    for (const [rows, column] of [[contracts, 'contract'], [tags, 'tag']] as const) {
      const padded = (value: unknown): string => String(value).padStart(9, '0')
      const keys = rows.map((row) => `${padded(row['block_height'])} ${padded(row['tx_index'])} ${String(row[column])}`)
      expect(keys).to.deep.equal(keys.toSorted())
      expect(new Set(keys).size).to.equal(keys.length)
    }
  })
})
