import { activity } from '../activity.ts'
import type { Turn } from '../activity.ts'
import type { DraftArgument, DraftEvent, DraftTransaction } from '../draft.ts'
import { doStaking, lastingTurns } from '../staking/staking-program.ts'
import type { StakingTurn } from '../staking/staking-program.ts'
import { stakingScript } from '../staking/staking-scripts.ts'
import { stakingTeller } from '../staking/staking-teller.ts'
import { stakersFlow } from '../staking/staking-start.ts'
import { networkingAddress, nodeIdOf, publicKeyText, roleOf } from '../staking/stakers.ts'
import { tideOf } from '../world/tide.ts'

const gasLimit = 9999

/** What those that stake do for good: they register, unstake what they staked in earlier tides, take what they earned. */
export const staking = activity<undefined>({
  name: 'staking',
  perTide: lastingTurns.length,
  act(turn) {
    const {
      state: { staking: table },
      height,
    } = turn
    // A busier chain has more turns: those find that the round is made.
    const done = lastingTurns[table.turns++]?.(tideOf(height), table)
    return { transaction: done === undefined ? inVain(turn) : draft(turn, done), memo: undefined }
  },
  lasting: (token, account, _turns, tide) => (token.index === 0 ? stakersFlow(account, tide) : 0n),
})

/** Somebody that is registered stakes something more, and takes it back before the epoch ends. */
export const stakingThereAndBack = activity<StakingTurn | undefined>({
  name: 'staking-there-and-back',
  perTide: 4,
  act(turn) {
    const {
      state: { staking: table },
      height,
      random,
    } = turn
    // Not those whose stakes change for good in this very tide.
    const candidates = table.registered.slice(2, tideOf(height))
    if (candidates.length === 0) return { transaction: inVain(turn), memo: undefined }
    const staker = random.pick(candidates)
    const amount = BigInt(random.between(1_00000000, 40_00000000))
    return {
      transaction: draft(turn, { call: 'stake-new', staker, amount }),
      memo: { call: 'take-back', staker, amount },
    }
  },
  giveBack: (turn, memo) => (memo === undefined ? inVain(turn) : draft(turn, memo)),
})

function draft(turn: Turn, done: StakingTurn): DraftTransaction {
  const events: DraftEvent[] = []
  const { staking: table } = turn.state
  doStaking(table, stakingTeller(turn, events), done)
  return {
    script: stakingScript(done.call, done.staker),
    arguments: argumentsOf(turn, done),
    authorizers: [done.staker.owner],
    gasLimit,
    computation: 60 + events.length,
    events,
  }
}

function argumentsOf({ state }: Turn, { call, staker: { node }, amount }: StakingTurn): readonly DraftArgument[] {
  const text = (value: string): DraftArgument => ({ type: 'String', value })
  const flow: DraftArgument = { type: 'UFix64', value: amount }
  if (call === 'update-address') return [text(state.staking.addressOf(node))]
  if (call === 'register-delegator') return [text(nodeIdOf(node)), flow]
  if (call !== 'register-node') return [flow]
  const [networkingKey, stakingKey] = [publicKeyText(node, 'networking'), publicKeyText(node, 'staking')]
  return [
    text(nodeIdOf(node)),
    { type: 'UInt8', value: roleOf(node) },
    text(networkingAddress(node, 0)),
    text(networkingKey),
    text(stakingKey),
    text(stakingKey.slice(0, 96)),
    flow,
  ]
}

const script = Buffer.from(`import FlowIDTableStaking from 0xf8d6e0586b0a20c7

transaction(amount: UFix64) {
    prepare(signer: auth(BorrowValue) &Account) {
        let staker = signer.storage.borrow<auth(FlowIDTableStaking.NodeOperator) &FlowIDTableStaking.NodeStaker>(
            from: FlowIDTableStaking.NodeStakerStoragePath
        ) ?? panic("The signer runs no node")
        staker.requestUnstaking(amount: amount)
    }
}
`)

/** Somebody tries it who runs no node. */
function inVain({ payer }: Turn): DraftTransaction {
  return {
    script,
    arguments: [{ type: 'UFix64', value: 1_00000000n }],
    authorizers: [payer],
    gasLimit,
    computation: 12,
    events: [],
    error: `[Error Code: 1101] error caused by: 1 error occurred:
\t* transaction execute failed: [Error Code: 1101] cadence runtime error: Execution failed:
error: panic: The signer runs no node
`,
  }
}
