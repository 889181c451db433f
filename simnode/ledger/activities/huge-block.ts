import type { Moment, SystemWork } from '../activity.ts'
import type { DraftEvent, DraftTransaction } from '../draft.ts'
import { moveTokens } from '../movements/move-tokens.ts'
import { personOfTurn } from '../world/people.ts'
import { flow, systemAccounts } from '../world/tokens.ts'

/** As many as the largest transactions of the main network had: payouts of staking rewards. */
const eventsWanted = 50_000
/** Each tells four events. */
const eventsPerMove = 4

const script = Buffer.from(`import FungibleToken from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79

// Pays everybody, and takes it back.
transaction(height: UInt64) {
    prepare(service: auth(BorrowValue) &Account) {}
}
`)

/** One transaction of the chain's own with 50,000 events, at some heights. What it pays out it takes back. */
export function hugeBlocks(heights: ReadonlySet<number>): SystemWork {
  return {
    name: 'huge-block',
    executions: (moment) => (heights.has(moment.height) ? [hugeTransaction(moment)] : []),
  }
}

function hugeTransaction(moment: Moment): DraftTransaction {
  const events: DraftEvent[] = []
  const pairs = eventsWanted / eventsPerMove / 2
  for (let nth = 0; nth < pairs; nth++) {
    const [one, other] = [personOfTurn(nth), personOfTurn(nth + 1)]
    const amount = BigInt(moment.random.between(1, 100_000_000))
    moveTokens(moment, flow, one, other, amount, events)
    moveTokens(moment, flow, other, one, amount, events)
  }
  return {
    script,
    arguments: [{ type: 'UInt64', value: moment.height }],
    authorizers: [systemAccounts.service],
    gasLimit: 9999,
    computation: 9999,
    events,
  }
}
