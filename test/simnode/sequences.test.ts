import { expect } from 'chai'
import { ledgerChain } from '../../simnode/ledger/ledger-node.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { annotatedTransactions } from '../support/recording-annotations.ts'

/**
 * Recorded sequences of staking, swaps, market and scheduled transactions that must occur in the
 * same order.
 */
const labels = [
  'defi/swap',
  'market/list',
  'market/delist',
  'schedule/fail',
  'schedule/cancel',
  'staking/register-node',
  'staking/register-delegator',
  'staking/stake-new-tokens',
  'staking/stake-rewards',
  'staking/withdraw-rewards',
  'staking/delegator-withdraw-rewards',
  'staking/request-unstake',
  'staking/delegator-request-unstake',
  'staking/withdraw-unstaked',
]
/** Simulated cycles in which each of these occurs. */
const heights = { from: 15_000, to: 16_000 }

/** Contracts and names of events, without `flow.` events such as capabilities, which depend on the scripts. */
function named(types: readonly string[]): string {
  return types
    .filter((type) => !type.startsWith('flow.') && !type.endsWith('.StorefrontInitialized'))
    .map((type) => type.replace(/^A\.[0-9a-f]{16}\./, ''))
    .join(' ')
}

describe('simulated activity', () => {
  it('has the events of recorded activity in the same order', async () => {
    const chain = ledgerChain({ seed: 4 })
    const simulated = new Set<string>()
    for (const span of [{ from: 0, to: 800 }, heights]) {
      for (let height = span.from; height < span.to; height++) {
        for (const { events } of chain.draft(height).userTransactions)
          simulated.add(named(events.map(({ shape }) => shape.id)))
      }
    }
    const blocks = await decodedRecording('base')
    for (const label of labels) {
      const recorded = (await annotatedTransactions('base'))
        .filter((noted) => noted.label === label)
        .map(({ height, index }) => named(blocks[height]?.transactions[index]?.events.map(({ type }) => type) ?? []))
      expect(recorded, label).to.not.deep.equal([])
      expect(
        recorded.some((sequence) => simulated.has(sequence)),
        `${label}: ${recorded[0] ?? ''}`,
      ).to.equal(true)
    }
  })

  it('ends epochs with the event order of a recorded chain', async () => {
    const chain = ledgerChain({ seed: 4 })
    const [begin = [], setUp = []] = [1800, 1799].map(
      (height) =>
        chain
          .draft(height)
          .systemTransactions.at(-1)
          ?.events.map(({ shape }) => shape.id) ?? [],
    )
    const pairs = (types: readonly string[]): string[] =>
      types.slice(1).map((type, at) => named([types[at] ?? '', type]))
    const blocks = await decodedRecording('base')
    // An epoch that starts without rewards and token moves.
    const recorded = new Set(
      [142, 146, 148].flatMap((height) => pairs(blocks[height]?.transactions[0]?.events.map(({ type }) => type) ?? [])),
    )
    const paid = begin.slice(
      begin.findIndex((type) => type.endsWith('.TokensWithdrawn')),
      begin.findIndex((type) => type.endsWith('.EpochStart')) + 1,
    )
    expect(paid.length).to.be.greaterThan(30)
    expect(pairs(paid).filter((pair) => !recorded.has(pair))).to.deep.equal([])
    expect(named(setUp)).to.include('FlowDKG.StartDKG FlowEpoch.EpochSetup')
  })
})
