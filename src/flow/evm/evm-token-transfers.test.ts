import { expect } from 'chai'
import fc from 'fast-check'
import type { EvmLog } from './evm-logs.ts'
import { evmTokenTransfers } from './evm-token-transfers.ts'
import type { EvmTokenTransfer } from './evm-token-transfers.ts'
import { anyAddress, anyLog } from './evm-transactions.test-support.ts'

const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const singleTopic = 'c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const batchTopic = '4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
const depositTopic = 'e1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const withdrawalTopic = '7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

const token = 'ab'.repeat(20)
const alice = '0a'.repeat(20)
const bob = '0b'.repeat(20)
const wrappedFlow = 'd3bf53dac106a0290b0483ecbc89d40fcc961f3e'
const nobody = '0'.repeat(40)

const word = (number: bigint | number): string => number.toString(16).padStart(64, '0')
const party = (address: string): string => address.padStart(64, '0')
const dataOf = (...words: ReadonlyArray<bigint | number>): Buffer => Buffer.from(words.map(word).join(''), 'hex')
const log = (topics: readonly string[], data: Buffer, address = token): EvmLog => ({ address, topics, data })
const batchData = (ids: readonly bigint[], amounts: readonly bigint[]): Buffer =>
  dataOf(64, 96 + 32 * ids.length, ids.length, ...ids, amounts.length, ...amounts)
const moved = (logs: readonly EvmLog[]): readonly EvmTokenTransfer[] => evmTokenTransfers(logs, 'mainnet')
const one = { logIndex: 0, batchIndex: 0, token, from: alice, to: bob }

describe('evmTokenTransfers', () => {
  it('distinguishes ERC-721 from ERC-20, which share a signature, by the indexed item id', () => {
    const topics = [transferTopic, party(alice), party(bob)]
    expect(moved([log(topics, dataOf(5)), log([...topics, word(5)], Buffer.of())])).to.deep.equal([
      { ...one, standard: 20, tokenId: null, amount: '5' },
      { ...one, logIndex: 1, standard: 721, tokenId: '5', amount: '1' },
    ])
  })

  it('reads the largest amounts and item ids exactly', () => {
    const largest = 2n ** 256n - 1n
    const topics = [transferTopic, party(alice), party(bob)]
    const found = moved([log(topics, dataOf(largest)), log([...topics, word(largest)], Buffer.of())])
    expect(found.map(({ tokenId, amount }) => tokenId ?? amount)).to.deep.equal([`${largest}`, `${largest}`])
  })

  it('treats transfers from the zero address as mints and to it as burns', () => {
    const found = moved([
      log([transferTopic, party(nobody), party(bob)], dataOf(1)),
      log([transferTopic, party(alice), party(nobody)], dataOf(2)),
    ])
    expect(found.map(({ from, to }) => [from, to])).to.deep.equal([
      [null, bob],
      [alice, null],
    ])
  })

  it('reads single and batch ERC-1155 transfers', () => {
    const topics = [party(token), party(alice), party(bob)]
    const found = moved([
      log([singleTopic, ...topics], dataOf(7, 8)),
      log([batchTopic, ...topics], batchData([1n, 2n, 1n], [10n, 20n, 30n])),
    ])
    const kinds = [
      ['7', '8', 0, 0],
      ['1', '10', 1, 0],
      ['2', '20', 1, 1],
      ['1', '30', 1, 2],
    ] as const
    expect(found).to.deep.equal(
      kinds.map(([tokenId, amount, logIndex, batchIndex]) => ({
        ...one,
        standard: 1155,
        tokenId,
        amount,
        logIndex,
        batchIndex,
      })),
    )
  })

  it('round-trips any batch', () => {
    const any = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
    const anyPairs = fc.array(fc.tuple(any, any), { maxLength: 20 })
    fc.assert(
      fc.property(anyAddress, anyAddress, anyPairs, (from, to, pairs) => {
        const data = batchData(
          pairs.map(([id]) => id),
          pairs.map(([, amount]) => amount),
        )
        const found = moved([log([batchTopic, party(alice), party(from), party(to)], data)])
        expect(found).to.deep.equal(
          pairs.map(([id, amount], batchIndex) => ({
            logIndex: 0,
            batchIndex,
            token,
            standard: 1155,
            from,
            to,
            tokenId: `${id}`,
            amount: `${amount}`,
          })),
        )
      }),
    )
  })

  it('counts FLOW wrapping, which emits no transfer, and ignores such logs of other contracts', () => {
    const logs = [
      log([depositTopic, party(alice)], dataOf(3), wrappedFlow),
      log([withdrawalTopic, party(alice)], dataOf(2), wrappedFlow),
      log([depositTopic, party(alice)], dataOf(3)),
      log([withdrawalTopic, party(alice)], dataOf(2)),
    ]
    const wrapped = { batchIndex: 0, token: wrappedFlow, standard: 20, tokenId: null }
    expect(moved(logs)).to.deep.equal([
      { ...wrapped, logIndex: 0, from: null, to: alice, amount: '3' },
      { ...wrapped, logIndex: 1, from: alice, to: null, amount: '2' },
    ])
    expect(evmTokenTransfers(logs, 'emulator')).to.deep.equal([])
  })

  const parties = [party(alice), party(bob)]
  for (const [what, odd] of [
    ['no topics', log([], dataOf(1))],
    ['another event', log([word(1), ...parties], dataOf(1))],
    ['parties that are not among the topics', log([transferTopic], dataOf(1, 2, 3))],
    ['an amount of two words', log([transferTopic, ...parties], dataOf(1, 2))],
    ['no amount', log([transferTopic, ...parties], Buffer.of())],
    ['an item and an amount', log([transferTopic, ...parties, word(1)], dataOf(1))],
    ['a party that is not an address', log([transferTopic, word(2n ** 160n), party(bob)], dataOf(1))],
    ['a kind without an amount', log([singleTopic, party(bob), ...parties], dataOf(1))],
    ['a batch of more kinds than amounts', log([batchTopic, party(bob), ...parties], batchData([1n, 2n], [1n]))],
    ['a batch that says it is longer than it is', log([batchTopic, party(bob), ...parties], dataOf(64, 64, 9))],
    ['a batch that begins behind its end', log([batchTopic, party(bob), ...parties], dataOf(2n ** 255n, 64, 0))],
    ['wrapping with two parties', log([depositTopic, ...parties], dataOf(1), wrappedFlow)],
  ] as const) {
    it(`ignores a log with ${what}`, () => {
      expect(moved([odd])).to.deep.equal([])
    })
  }

  it('never throws, for any logs', () => {
    const signature = fc.constantFrom(transferTopic, singleTopic, batchTopic, depositTopic, withdrawalTopic)
    const odd = fc.tuple(anyLog, signature, fc.uint8Array({ maxLength: 300 })).map(([any, topic, data]) => ({
      ...any,
      topics: [topic, ...any.topics.slice(1)],
      data,
    }))
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 5 }), (logs) => {
        for (const { amount, from, to } of moved(logs)) {
          expect(amount).to.match(/^\d+$/)
          for (const address of [from, to]) if (address !== null) expect(address).to.match(/^[0-9a-f]{40}$/)
        }
      }),
      { numRuns: 500 },
    )
  })
})
