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

/** Types and receivers of transfers, after the staking events were applied. */
function named(
  given: readonly Given[],
  reported: ReadonlyArray<readonly [number, StakingEventKind, number]>,
): string[] {
  const transfers = given.map(([eventIndex, from, to, amount, type = 'transfer', token = flow]) => ({
    eventIndex,
    token,
    from,
    to,
    amount: `${amount}.00000000`,
    type,
  }))
  const events = reported.map(([eventIndex, kind, amount]) => ({ eventIndex, kind, amount: `${amount}.00000000` }))
  setStakingTypes(transfers, events, staking, flow)
  return transfers.map(({ type, to = '-' }) => `${type} ${to}`)
}

describe('setStakingTypes', () => {
  it('labels deposits and withdrawals, one per event', () => {
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

  it('uses the nearest transfer of equal amount, before or after the event', () => {
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

  it('sums the deposits of one event', () => {
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

  it('leaves mints unchanged and labels the remaining payout as a reward', () => {
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

  it('assigns undelivered tokens to a new node', () => {
    expect(named([[2, alice, undefined, 5, 'withdrawal']], [[3, 'staking-node', 5]])).to.deep.equal([
      `stake ${staking}`,
    ])
    expect(named([[2, alice, undefined, 5, 'withdrawal']], [[3, 'staking-staked', 5]])).to.deep.equal(['withdrawal -'])
  })

  it('ignores other tokens, other accounts and zero amounts', () => {
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
