import { expect } from 'chai'
import { setStakingTypes } from './staking.ts'
import type { StakingEventKind } from './token-event-kind.ts'
import { alice, bob, flow, usd } from './token-events.test-support.ts'
import type { TransferType } from './token-moves.ts'

const staking = '0x8624b52f9ddcd04a'

type Given = readonly [
  eventIndex: number,
  from: string | undefined,
  to: string | undefined,
  amount: number,
  type?: TransferType,
  token?: string,
]

/** The types of transfers, and where they went, after staking events told of them. */
function named(given: readonly Given[], told: ReadonlyArray<readonly [number, StakingEventKind, number]>): string[] {
  const transfers = given.map(([eventIndex, from, to, amount, type = 'transfer', token = flow]) => ({
    eventIndex,
    token,
    from,
    to,
    amount: `${amount}.00000000`,
    type,
  }))
  const events = told.map(([eventIndex, kind, amount]) => ({ eventIndex, kind, amount: `${amount}.00000000` }))
  setStakingTypes(transfers, events, staking, flow)
  return transfers.map(({ type, to = '-' }) => `${type} ${to}`)
}

describe('setStakingTypes', () => {
  it('names what came in and what went out, of each event one', () => {
    expect(
      named(
        [
          [2, alice, staking, 5],
          [6, staking, bob, 5],
        ],
        [[1, 'staking-staked', 5]],
      ),
    ).to.deep.equal([`stake ${staking}`, `transfer ${bob}`])
    expect(
      named(
        [
          [2, staking, alice, 5],
          [6, staking, alice, 5],
        ],
        [
          [1, 'staking-unstaked', 5],
          [5, 'staking-reward-withdrawn', 5],
        ],
      ),
    ).to.deep.equal([`unstake ${alice}`, `reward ${alice}`])
  })

  it('goes by what is nearest where several are of one amount, before the event or after it', () => {
    expect(
      named(
        [
          [2, alice, staking, 5],
          [40, alice, staking, 5],
        ],
        [[41, 'staking-staked', 5]],
      ),
    ).to.deep.equal([`transfer ${staking}`, `stake ${staking}`])
  })

  it('adds up what came in by one event', () => {
    expect(
      named(
        [
          [2, alice, staking, 5],
          [2, bob, staking, 7],
        ],
        [[1, 'staking-staked', 12]],
      ),
    ).to.deep.equal([`stake ${staking}`, `stake ${staking}`])
  })

  it('leaves what is minted as it is, and pays the rest of it as a reward', () => {
    expect(
      named(
        [
          [2, alice, staking, 5],
          [2, undefined, staking, 7, 'mint'],
        ],
        [[9, 'staking-reward-paid', 12]],
      ),
    ).to.deep.equal([`reward ${staking}`, `mint ${staking}`])
  })

  it('gives a new node what did not arrive anywhere', () => {
    expect(named([[2, alice, undefined, 5, 'withdrawal']], [[3, 'staking-node', 5]])).to.deep.equal([
      `stake ${staking}`,
    ])
    expect(named([[2, alice, undefined, 5, 'withdrawal']], [[3, 'staking-staked', 5]])).to.deep.equal(['withdrawal -'])
  })

  it('passes over other tokens, other accounts and nothing', () => {
    expect(
      named(
        [
          [2, alice, staking, 5, 'transfer', usd],
          [3, alice, bob, 5],
          [4, alice, staking, 0],
        ],
        [
          [1, 'staking-staked', 5],
          [5, 'staking-staked', 0],
        ],
      ),
    ).to.deep.equal([`transfer ${staking}`, `transfer ${bob}`, `transfer ${staking}`])
  })
})
