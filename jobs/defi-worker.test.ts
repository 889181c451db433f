import { expect } from 'chai'
import * as fc from 'fast-check'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import type { Network } from '../src/flow/network.ts'
import type { PayloadFields, PayloadValue } from '../src/flow/payload-value.ts'
import { CollectedRows } from '../test/support/collected-rows.ts'
import type { CollectedRow } from '../test/support/collected-rows.ts'
import { decodedRecording, rangeOf } from '../test/support/decoded-recording.ts'
import { namedAccounts, annotatedTransactions } from '../test/support/recording-annotations.ts'
import { defiWorker } from './defi-worker.ts'

const flow = 'A.0ae53cb6e3f42a79.FlowToken'
const coin = 'A.00000000000000c1.Coin'
const gem = 'A.00000000000000c2.Gem'
const pair = 'A.00000000000000d1.SwapPair'
const holder = '0x00000000000000d1'
const trader = '0x00000000000000a1'

interface Emitted {
  readonly type: string
  readonly fields: PayloadFields | undefined
}

let uuid = 10_000_000_000_000

/** Tokens that move directly between accounts. Null: no account. */
function transfer(token: string, amount: string, from: string | null, to: string | null): [Emitted, Emitted] {
  uuid += 1
  const [type, moved] = [`${token}.Vault`, String(uuid)]
  const vaultOf = (address: string | null): string =>
    String((BigInt(address ?? 0) % 1_000_000_007n) * 100n + BigInt(token.length))
  return [
    {
      type: 'A.ee82856bf20e2aa6.FungibleToken.Withdrawn',
      fields: { type, amount, from, fromUUID: vaultOf(from), withdrawnUUID: moved, balanceAfter: '9.00000000' },
    },
    {
      type: 'A.ee82856bf20e2aa6.FungibleToken.Deposited',
      fields: { type, amount, to, toUUID: vaultOf(to), depositedUUID: moved, balanceAfter: '9.00000000' },
    },
  ]
}

describe('defi_worker', () => {
  let blocks: readonly DecodedBlock[]

  before(async () => {
    blocks = await decodedRecording('base')
  })

  const derive = (events: readonly Emitted[], network: Network = 'emulator'): CollectedRows => {
    const [block] = blocks
    const [transaction] = blocks[1]?.transactions ?? []
    if (block === undefined || transaction === undefined) throw new Error('the recording has a block')
    const numbered = events.map((event, index) => ({ ...event, index }))
    const made = { ...transaction, index: 2, authorizers: [trader], isSystem: false, events: numbered }
    const output = new CollectedRows(defiWorker)
    defiWorker.derive?.({ from: 0, to: 1, blocks: [{ ...block, transactions: [made] }] }, output, { network })
    return output
  }
  const eventsOf = (output: CollectedRows): Record<string, unknown>[] => {
    expect(output.problems).to.deep.equal([])
    return output.of('app.defi_events').map(reportedRow)
  }

  it('has each swap of the recording', async () => {
    const output = new CollectedRows(defiWorker)
    defiWorker.derive?.(rangeOf(blocks, { from: 0, to: blocks.length }), output, { network: 'emulator' })
    expect(output.problems).to.deep.equal([])
    const noted = (await annotatedTransactions('base')).filter(({ label }) => label === 'defi/swap')
    const swaps = output.of('app.defi_events').filter((row) => row['event_type'] === 'Swap')
    expect(swaps.map((row) => [row['block_height'], row['tx_index']])).to.deep.equal(
      noted.map(({ height, index }) => [height, index]),
    )
    for (const [i, { note }] of noted.entries()) {
      const { amount_in: amount, direction, in: from, out: to } = note as Record<string, unknown>
      const [into, outOf] = direction === 0 ? ['asset0', 'asset1'] : ['asset1', 'asset0']
      const row = swaps[i] ?? {}
      expect([`${String(row[into])}.Vault`, `${String(row[outOf])}.Vault`, row[`${into}_in`]]).to.deep.equal([
        from,
        to,
        amount,
      ])
      expect([row[`${into}_out`], row[`${outOf}_in`]]).to.deep.equal([null, null])
    }
    const { dev, owner } = await namedAccounts('base')
    expect(
      output
        .of('app.defi_events')
        .filter((row) => row['event_type'] !== 'Swap')
        .map(reportedRow),
    ).to.deep.equal([
      {
        event_index: 3,
        pair: `A.${dev?.slice(2)}.SwapPair`,
        event_type: 'AddLiquidity',
        maker: owner,
        asset0: flow,
        asset1: 'A.179b6b1cb6755e31.PebbleCoin',
        asset0_in: '1000.00000000',
        asset1_in: '50000.00000000',
        lp_amount: '1000.00000000',
      },
    ])
  })

  it('derives the tokens of a swap from transfers, in the order of the pair', () => {
    const fields = { inTokenAmount: '2.00000000', outTokenAmount: '6.00000000', direction: '1' }
    const swap = { type: `${pair}.Swap`, fields }
    // The pair emits its event before it takes the tokens. Transaction fees do not count.
    const events = eventsOf(
      derive([swap, ...transfer(coin, '2.00000000', trader, holder), ...transfer(flow, '6.00000000', holder, trader)]),
    )
    expect(events).to.deep.equal([
      {
        event_index: 0,
        pair,
        event_type: 'Swap',
        maker: trader,
        asset0: flow,
        asset1: coin,
        asset0_out: '6.00000000',
        asset1_in: '2.00000000',
        price: '0.333333333333333333',
      },
    ])
  })

  it('tracks tokens through several pairs', () => {
    const second = 'A.00000000000000d2.SwapPair'
    const [a1, a2] = transfer(coin, '3.00000000', holder, '0x00000000000000d2')
    const events = eventsOf(
      derive([
        ...transfer(flow, '1.00000000', trader, holder),
        { type: `${pair}.Swap`, fields: { inTokenAmount: '1.00000000', outTokenAmount: '3.00000000', direction: '0' } },
        a1,
        {
          type: `${second}.Swap`,
          fields: { inTokenAmount: '3.00000000', outTokenAmount: '5.00000000', direction: '0' },
        },
        a2,
        ...transfer(gem, '5.00000000', '0x00000000000000d2', trader),
      ]),
    )
    expect(events.map((row) => [row['pair'], row['asset0'], row['asset1'], row['price']])).to.deep.equal([
      [pair, flow, coin, '3.000000000000000000'],
      [second, coin, gem, '1.666666666666666666'],
    ])
  })

  it('reads BloctoSwap trades, whose amounts exclude the fee', () => {
    const blocto = 'A.c6c77b9f5c7a378f.FlowSwapPair'
    const events = eventsOf(
      derive([
        ...transfer(coin, '10.00000000', trader, '0xc6c77b9f5c7a378f'),
        { type: `${blocto}.Trade`, fields: { token1Amount: '4.00000000', token2Amount: '9.97000000', side: '2' } },
        ...transfer(flow, '4.00000000', '0xc6c77b9f5c7a378f', trader),
      ]),
    )
    expect(events).to.deep.equal([
      {
        event_index: 2,
        pair: blocto,
        event_type: 'Swap',
        maker: trader,
        asset0: flow,
        asset1: coin,
        asset0_out: '4.00000000',
        asset1_in: '9.97000000',
        price: '2.492500000000000000',
      },
    ])
    const sibling = 'A.87f3f233f34b0733.FusdUsdtSwapPair'
    const siblings = derive([
      { type: `${sibling}.Trade`, fields: { token1Amount: '1.00000000', token2Amount: '1.00000000', side: '1' } },
      { type: `${sibling}.FeeUpdated`, fields: { feePercentage: '0.00300000' } },
    ])
    expect(eventsOf(siblings)).to.have.length(1)
    expect(siblings.of('app.defi_pair_changes')).to.deep.equal([
      {
        block_height: 0,
        tx_index: 2,
        event_index: 1,
        pair: sibling,
        asset0: null,
        asset1: null,
        is_stable: null,
        fee: '0.00300000',
      },
    ])
  })

  it('reads pools of Metapier, many in one contract', () => {
    const contract = 'A.609e10301860b683.PierPair'
    const poolId = String(0xe31c5fc93a43c6bbn)
    const pool = `${contract}.e31c5fc93a43c6bb`
    const [one, two] = ['1.00000000', '2.00000000']
    const events = eventsOf(
      derive([
        { type: `${contract}.Swap`, fields: { poolId, amountIn: one, amountOut: two, swapAForB: true } },
        { type: `${contract}.Mint`, fields: { poolId, amountAIn: one, amountBIn: two } },
        { type: `${contract}.Burn`, fields: { poolId, amountLP: '3.00000000', amountAOut: one, amountBOut: two } },
      ]),
    )
    expect(
      events.map((row) => [row['pair'], row['event_type'], row['asset0_in'], row['asset1_out'], row['lp_amount']]),
    ).to.deep.equal([
      [pool, 'Swap', one, two, undefined],
      [pool, 'AddLiquidity', one, undefined, undefined],
      [pool, 'RemoveLiquidity', undefined, two, '3.00000000'],
    ])
  })

  it('derives liquidity changes from the liquidity token', () => {
    const minted = (amount: string): Emitted => ({ type: `${pair}.TokensMinted`, fields: { amount } })
    const [a1, a2] = transfer(flow, '10.00000000', holder, trader)
    const [b1, b2] = transfer(coin, '20.00000000', holder, trader)
    const events = eventsOf(
      derive([
        minted('0.00000100'), // The earnings of the exchange since the last swap.
        ...transfer(flow, '1.00000000', trader, holder),
        ...transfer(coin, '2.00000000', trader, holder),
        minted('1.41000000'),
        a1,
        b1,
        { type: `${pair}.TokensBurned`, fields: { amount: '14.10000000' } },
        a2,
        b2,
      ]),
    )
    expect(events).to.deep.equal([
      { event_index: 0, pair, event_type: 'ProtocolFee', maker: trader, lp_amount: '0.00000100' },
      {
        event_index: 5,
        pair,
        maker: trader,
        event_type: 'AddLiquidity',
        asset0: flow,
        asset1: coin,
        asset0_in: '1.00000000',
        asset1_in: '2.00000000',
        lp_amount: '1.41000000',
      },
      {
        event_index: 8,
        pair,
        maker: trader,
        event_type: 'RemoveLiquidity',
        asset0: flow,
        asset1: coin,
        asset0_out: '10.00000000',
        asset1_out: '20.00000000',
        lp_amount: '14.10000000',
      },
    ])
  })

  it('assigns the first liquidity of a pair to its provider', () => {
    const events = eventsOf(
      derive([
        ...transfer(flow, '1.00000000', trader, holder),
        ...transfer(coin, '2.00000000', trader, holder),
        { type: `${pair}.TokensMinted`, fields: { amount: '0.00000100' } },
        { type: `${pair}.TokensMinted`, fields: { amount: '1.41421256' } },
      ]),
    )
    expect(events.map((row) => [row['event_type'], row['asset0_in'], row['lp_amount']])).to.deep.equal([
      ['ProtocolFee', undefined, '0.00000100'],
      ['AddLiquidity', '1.00000000', '1.41421256'],
    ])
  })

  it('records flash loans', () => {
    const fields = {
      executor: trader,
      executorType: 'A.00000000000000e1.Bot.Executor',
      originator: trader,
      requestedTokenKey: flow,
      amount: '5.00000000',
    }
    expect(eventsOf(derive([{ type: `${pair}.Flashloan`, fields }]))).to.deep.equal([
      {
        event_index: 0,
        pair,
        event_type: 'Flashloan',
        maker: trader,
        asset0: flow,
        asset0_out: '5.00000000',
      },
    ])
  })

  it('reads PairCreated with and without the mode, on mainnet only from the factory', () => {
    const fields = { token0Key: flow, token1Key: coin, pairAddress: holder, numPairs: '7' }
    const factory = 'A.b063c16cac85dbd1.SwapFactory.PairCreated'
    const made = { pair, asset0: flow, asset1: coin }
    const old = derive([{ type: factory, fields }], 'mainnet')
    expect(old.problems).to.deep.equal([])
    expect(old.of('app.defi_pair_changes')).to.have.length(1)
    expect(old.of('app.defi_pair_changes')[0]).to.include({ ...made, is_stable: null })
    const now = derive([{ type: factory, fields: { ...fields, stableMode: true } }], 'mainnet')
    expect(now.of('app.defi_pair_changes')[0]).to.include({ ...made, is_stable: true })
    const forged = { type: 'A.00000000000000e1.SwapFactory.PairCreated', fields }
    expect(derive([forged], 'mainnet').of('app.defi_pair_changes')).to.deep.equal([])
    expect(derive([forged]).of('app.defi_pair_changes')).to.have.length(1)
  })

  it('ignores events of other contracts', () => {
    const output = derive([
      { type: `${pair}.AddLiquidity`, fields: { amount0: '1.00000000', amount1: '2.00000000' } },
      { type: `${pair}.RemoveLiquidity`, fields: { amount0: '1.00000000' } },
      { type: 'A.b063c16cac85dbd1.BloctoSwapPair.Swap', fields: { amountIn: '1.00000000', amountOut: '1.00000000' } },
      { type: 'A.b063c16cac85dbd1.MetaPierSwapPair.Swap', fields: { amountIn: '1.00000000' } },
      { type: `${pair}.TokensDeposited`, fields: { amount: '1.00000000', to: trader } },
      { type: `${coin}.TokensMinted`, fields: { amount: '1.00000000' } },
    ])
    expect(output.problems).to.deep.equal([])
    expect(output.of('app.defi_events')).to.deep.equal([])
  })

  it('records undecodable events as problems', () => {
    const fields = { amount0In: '1.00000000', amount0Out: '0.00000000', amount1Out: '2.00000000' }
    const output = derive([
      { type: `${pair}.Swap`, fields },
      { type: `${pair}.Swap`, fields: { inTokenAmount: '1.00000000', outTokenAmount: '1.00000000', direction: '2' } },
    ])
    expect(output.of('app.defi_events')).to.deep.equal([])
    expect(output.problems.map(({ eventIndex, code, message }) => [eventIndex, code, message])).to.deep.equal([
      [0, 'defi-event-shape', 'field direction is neither 0 nor 1'],
      [1, 'defi-event-shape', 'field direction is neither 0 nor 1'],
    ])
  })

  it('never fails, for any events under these names', () => {
    const types = [
      `${pair}.Swap`,
      `${pair}.TokensMinted`,
      `${pair}.TokensBurned`,
      `${pair}.Flashloan`,
      'A.00000000000000d3.XSwapPair.Trade',
      'A.00000000000000d3.PierPair.Mint',
      'A.00000000000000d3.PierPair.Swap',
      'A.00000000000000d4.SwapFactory.PairCreated',
    ]
    const values: readonly PayloadValue[] = [
      null,
      '',
      '0',
      '1',
      '2',
      '99999999999999999999',
      '0.00000000',
      '1.00000000',
      flow,
      coin,
      holder,
      [],
      {},
      true,
      false,
    ]
    const fields = [
      'inTokenAmount',
      'outTokenAmount',
      'direction',
      'amount',
      'side',
      'token1Amount',
      'token2Amount',
      'poolId',
      'amountIn',
      'amountOut',
      'swapAForB',
      'amountAIn',
      'amountBIn',
      'requestedTokenKey',
      'token0Key',
      'token1Key',
      'pairAddress',
      'stableMode',
    ]
    const event = fc.record({
      type: fc.constantFrom(...types),
      fields: fc.option(fc.dictionary(fc.constantFrom(...fields), fc.constantFrom(...values)), { nil: undefined }),
    })
    const move = fc
      .record({
        token: fc.constantFrom(flow, coin, pair),
        amount: fc.constantFrom('0.00000000', '1.00000000'),
        from: fc.constantFrom(holder, trader, null),
        to: fc.constantFrom(holder, trader, null),
      })
      .map(({ token, amount, from, to }): Emitted[] => transfer(token, amount, from, to))
    const some = fc.array(
      fc.oneof(
        event.map((one): Emitted[] => [one]),
        move,
      ),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(some, (all) => {
        const events = all.flat()
        const output = derive(events)
        const rows = output.of('app.defi_events')
        const requested = events.filter(({ type, fields: has }) => has !== undefined && types.includes(type))
        expect(rows.length + output.of('app.defi_pair_changes').length + output.problems.length).to.equal(
          requested.length,
        )
        expect(rows.map((row) => row['event_index'])).to.deep.equal(
          [...new Set(rows.map((row) => row['event_index']))].toSorted((a, b) => Number(a) - Number(b)),
        )
        expect(rows.every((row) => row['asset0'] === null || row['asset0'] !== row['asset1'])).to.equal(true)
      }),
      { numRuns: 400 },
    )
  })
})

/** The non-null columns of a row, without height, index and day. */
function reportedRow(row: CollectedRow): Record<string, unknown> {
  const place = ['block_height', 'tx_index', 'day']
  return Object.fromEntries(Object.entries(row).filter(([column, value]) => value !== null && !place.includes(column)))
}
