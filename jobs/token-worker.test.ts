import { expect } from 'chai'
import * as fc from 'fast-check'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import type { PayloadFields, PayloadValue } from '../src/flow/payload-value.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRow, CollectedRows } from '../test/support/collected-rows.ts'
import { decodedRecording, rangeOf } from '../test/support/decoded-recording.ts'
import { tokenWorker } from './token-worker.ts'

const columnsOfKey = ['block_height', 'tx_index', 'event_index', 'leg']

function keyOf(row: CollectedRow): string {
  return columnsOfKey
    .filter((column) => column in row)
    .map((column) => String(row[column]).padStart(20, '0'))
    .join(' ')
}

/**
 * Every kind of token event, and foreign events of the same names. `ee82856bf20e2aa6` is the
 * standards' account.
 */
const eventTypes = [
  'A.ee82856bf20e2aa6.FungibleToken.Withdrawn',
  'A.ee82856bf20e2aa6.FungibleToken.Deposited',
  'A.ee82856bf20e2aa6.FungibleToken.Burned',
  'A.0ae53cb6e3f42a79.FlowToken.TokensWithdrawn',
  'A.0ae53cb6e3f42a79.FlowToken.TokensDeposited',
  'A.0ae53cb6e3f42a79.FlowToken.TokensBurned',
  'A.0ae53cb6e3f42a79.FlowToken.TokensMinted',
  'A.f8d6e0586b0a20c7.NonFungibleToken.Withdrawn',
  'A.f8d6e0586b0a20c7.NonFungibleToken.Deposited',
  'A.f8d6e0586b0a20c7.NonFungibleToken.NFT.ResourceDestroyed',
  'A.f8d6e0586b0a20c7.EVM.FLOWTokensDeposited',
  'A.f8d6e0586b0a20c7.EVM.FLOWTokensWithdrawn',
  'A.e5a8b7f23e8b548f.FlowFees.FeesDeducted',
  'A.e5a8b7f23e8b548f.FlowFees.TokensDeposited',
  'A.f8d6e0586b0a20c7.IFlowEVMTokenBridge.BridgedTokensToEVM',
  'A.f8d6e0586b0a20c7.IFlowEVMTokenBridge.BridgedTokensFromEVM',
  'A.f8d6e0586b0a20c7.IFlowEVMNFTBridge.BridgedNFTToEVM',
  'A.f8d6e0586b0a20c7.IFlowEVMNFTBridge.BridgedNFTFromEVM',
  'A.f8d6e0586b0a20c7.FlowIDTableStaking.TokensCommitted',
  'A.f8d6e0586b0a20c7.FlowIDTableStaking.NewNodeCreated',
  'A.f8d6e0586b0a20c7.FlowIDTableStaking.RewardsPaid',
  'A.00000000000000a1.Cats.Burned',
  'A.00000000000000a1.Cats.Withdraw',
  'A.00000000000000a1.Cats.Deposit',
  'A.00000000000000a1.Cats.Minted',
]
const oddValues: readonly PayloadValue[] = [
  null,
  true,
  '',
  '0',
  '-1',
  '1.0',
  '1.00000000',
  '0.00000000',
  '184467440737.09551615',
  '18446744073709551615',
  '9223372036854775807',
  '9223372036854775808',
  '0x00000000000000a1',
  '0x00000000000000b0',
  '0x0',
  [],
  ['1'],
  {},
  { type: 'x' },
  'A.00000000000000a1.Cats.NFT',
  'A.0ae53cb6e3f42a79.FlowToken.Vault',
  'FlowToken.Vault',
  '9d3d9968383e21ca56ff357c60b4383cce201305',
]
const fieldNames = [
  'type',
  'amount',
  'from',
  'to',
  'fromUUID',
  'toUUID',
  'withdrawnUUID',
  'depositedUUID',
  'balanceAfter',
  'id',
  'uuid',
  'address',
  'bridgedUUID',
  'caller',
  'amountCommitted',
]
const oddFields: fc.Arbitrary<PayloadFields | undefined> = fc.option(
  fc.dictionary(fc.constantFrom(...fieldNames), fc.constantFrom(...oddValues), { maxKeys: fieldNames.length }),
  { nil: undefined },
)

describe('token_worker', () => {
  let blocks: readonly DecodedBlock[]
  let all: CollectedRows

  before(async () => {
    blocks = await decodedRecording('base')
    all = collect(tokenWorker, rangeOf(blocks, { from: 0, to: blocks.length }))
  })

  it('processes the recording without a problem', () => {
    expect(all.problems).to.deep.equal([])
  })

  it('writes rows in the order of their keys, each key once', () => {
    for (const table of ['app.ft_transfers', 'app.nft_transfers']) {
      const keys = all.of(table).map(keyOf)
      expect(keys.length, table).to.be.greaterThan(100)
      expect(keys, table).to.deep.equal([...new Set(keys)].toSorted())
    }
  })

  it('derives each block independently of its range', () => {
    for (const { name } of tokenWorker.tables) {
      const single = blocks.flatMap(({ height }) => {
        return collect(tokenWorker, rangeOf(blocks, { from: height, to: height + 1 })).of(name)
      })
      expect(single, name).to.deep.equal(all.of(name))
    }
  })

  it('numbers the transfers of one event', () => {
    const merged = all.of('app.ft_transfers').filter((row) =>
      keyOf(row).startsWith(
        keyOf({
          block_height: 33,
          tx_index: 1,
          event_index: 7,
        }),
      ),
    )
    expect(merged.map(({ leg, from_address: from, amount }) => [leg, from, amount])).to.deep.equal([
      [0, '0x045a1763c93006ca', '18.95569716'],
      [1, '0x10c4fef62310c807', '19.72829549'],
    ])
  })

  it('never fails, for any events under these names', () => {
    const [block] = blocks
    const [transaction] = blocks[1]?.transactions ?? []
    if (block === undefined || transaction === undefined) throw new Error('the recording has a block')
    const events = fc.array(fc.record({ type: fc.constantFrom(...eventTypes), fields: oddFields }), { maxLength: 8 })
    fc.assert(
      fc.property(events, (all) => {
        const numbered = all.map((event, index) => ({ ...event, index }))
        const output = collect(tokenWorker, {
          from: 0,
          to: 1,
          blocks: [{ ...block, transactions: [{ ...transaction, index: 2, events: numbered }] }],
        })
        for (const row of [...output.of('app.ft_transfers'), ...output.of('app.nft_transfers')]) {
          const whoOrWhat = row['from_address'] ?? row['to_address'] ?? row['nft_id']
          expect(whoOrWhat, 'a transfer says who or what').to.not.equal(null)
        }
        const keys = output.of('app.ft_transfers').map(keyOf)
        expect(new Set(keys).size).to.equal(keys.length)
      }),
      { numRuns: 500 },
    )
  })

  it('records undecodable events as problems', () => {
    const [block] = blocks
    const [transaction] = blocks[1]?.transactions ?? []
    if (block === undefined || transaction === undefined) throw new Error('the recording has a block')
    const event = { type: 'A.ee82856bf20e2aa6.FungibleToken.Deposited', index: 5, fields: { amount: '1' } }
    const output = collect(tokenWorker, {
      from: 0,
      to: 1,
      blocks: [{ ...block, transactions: [{ ...transaction, index: 2, events: [event] }] }],
    })
    expect(output.problems).to.deep.equal([
      {
        blockHeight: 0,
        txIndex: 2,
        eventIndex: 5,
        eventType: event.type,
        code: 'token-event-shape',
        message: 'field type is not the type of a resource',
      },
    ])
  })
})
