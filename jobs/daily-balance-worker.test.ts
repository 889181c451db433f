import { expect } from 'chai'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import { tokenId } from '../src/flow/tokens/token-id.ts'
import { ufix64Text, ufix64Units } from '../src/flow/tokens/ufix64.ts'
import { utcDay } from '../src/flow/decoded-block.ts'
import { collect } from '../test/support/collected-rows.ts'
import { decodedRecording, rangeOf } from '../test/support/decoded-recording.ts'
import { handMadeBlocks } from '../test/support/hand-made-blocks.ts'
import type { ManualEvent } from '../test/support/hand-made-blocks.ts'
import { dailyBalanceWorker } from './daily-balance-worker.ts'
import { textOf } from '../test/support/text-of.ts'

const table = 'app.balance_changes'
const flow = 'A.0ae53cb6e3f42a79.FlowToken'
const [alice, bob] = ['0x00000000000000a1', '0x00000000000000b0'] as const

/** `<height> <day> <address> <token>` and the change. */
type Changes = Record<string, string>

function changesOf(blocks: readonly DecodedBlock[]): Changes {
  const [{ height: from } = { height: 0 }] = blocks
  const rows = collect(dailyBalanceWorker, { from, to: from + blocks.length, blocks }).of(table)
  const changes = rows.flatMap(({ block_height: height, day, token, addresses, changes: all }) =>
    (addresses as readonly string[]).map(
      (address, i) =>
        [
          `${textOf(height)} ${textOf(day)} 0x${address} ${textOf(token)}`,
          (all as readonly string[])[i] ?? '',
        ] as const,
    ),
  )
  return Object.fromEntries(changes)
}

/** The same, summed from the standard's events for each account. */
function changesByEvents(blocks: readonly DecodedBlock[]): Changes {
  const sums = new Map<string, bigint>()
  for (const { height, timestampUs, transactions } of blocks) {
    for (const { type, fields } of transactions.flatMap(({ events }) => events)) {
      if (!/\.FungibleToken\.(Withdrawn|Deposited)$/.test(type)) continue
      const address = fields?.['to'] ?? fields?.['from']
      if (typeof address !== 'string') continue
      const key = `${height} ${utcDay(timestampUs)} ${address} ${tokenId(textOf(fields?.['type']))}`
      const units = ufix64Units(textOf(fields?.['amount']))
      sums.set(key, (sums.get(key) ?? 0n) + (type.endsWith('Deposited') ? units : -units))
    }
  }
  return Object.fromEntries(
    [...sums]
      .filter(([, units]) => units !== 0n)
      .map(([key, units]) => [key, units < 0n ? `-${ufix64Text(-units)}` : ufix64Text(units)]),
  )
}

describe('daily_balance_worker', () => {
  let blocks: readonly DecodedBlock[]

  before(async () => {
    blocks = await decodedRecording('base')
  })

  it('has exactly the balance changes of the recording, including fees', () => {
    const changes = changesOf(blocks)
    expect(Object.keys(changes).length).to.be.greaterThan(1000)
    expect(changes).to.deep.equal(changesByEvents(blocks))
  })

  it('has one row per block and token, in key order, with each account once', () => {
    const rows = collect(dailyBalanceWorker, rangeOf(blocks, { from: 0, to: blocks.length })).of(table)
    const keys = rows.map(({ block_height: height, token }) => `${String(height).padStart(6, '0')} ${textOf(token)}`)
    expect(keys).to.deep.equal([...new Set(keys)].toSorted())
    for (const { addresses, changes } of rows) {
      expect(addresses).to.deep.equal([...new Set(addresses as readonly string[])].toSorted())
      expect((changes as readonly string[]).length).to.equal((addresses as readonly string[]).length)
    }
  })

  it('excludes EVM accounts and transfers to oneself', () => {
    const accounts = Object.keys(changesOf(blocks)).map((key) => key.split(' ')[2])
    expect(accounts.filter((address) => address?.length !== 18)).to.deep.equal([])
    const toOneself: readonly ManualEvent[] = [
      [`${flow}.TokensWithdrawn`, { amount: '2.00000000', from: alice }],
      [`${flow}.TokensDeposited`, { amount: '2.00000000', to: alice }],
    ]
    expect(changesOf(handMadeBlocks(1, { 0: toOneself }))).to.deep.equal({})
  })

  it('dates changes before Cadence 1.0 by their block', () => {
    const pay = (amount: string): readonly ManualEvent[] => [
      [`${flow}.TokensWithdrawn`, { amount, from: alice }],
      [`${flow}.TokensDeposited`, { amount, to: bob }],
    ]
    const two = handMadeBlocks(3, { 0: pay('1.50000000'), 2: pay('0.25000000') })
    const day = utcDay(two[0]?.timestampUs ?? 0)
    expect(changesOf(two)).to.deep.equal({
      [`0 ${day} ${alice} ${flow}`]: '-1.50000000',
      [`0 ${day} ${bob} ${flow}`]: '1.50000000',
      [`2 ${day + 1} ${alice} ${flow}`]: '-0.25000000',
      [`2 ${day + 1} ${bob} ${flow}`]: '0.25000000',
    })
  })
})
