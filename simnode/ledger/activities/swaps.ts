import { activity } from './activity.ts'
import type { Turn } from './activity.ts'
import { argument } from '../events/draft.ts'
import type { DraftEvent, DraftTransaction } from '../events/draft.ts'
import { eventShape } from '../encoding/cadence.ts'
import { moveTokens } from '../state/token-moves.ts'
import { pairs, reservesAtStart, systemAccounts } from '../world/tokens.ts'
import type { Pair, Token } from '../world/tokens.ts'
import type { Account } from '../world/account.ts'
import { drawAmount } from '../world/users.ts'

interface Swap {
  readonly pair: Pair
  readonly by: Account
  /** From the pair's first token to the second. */
  readonly isForward: boolean
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/** In whole tokens. */
const maxAmount = 1000

const kinds = pairs.map((pair) => {
  const { contract, token0, token1 } = pair
  const vault = ({ name, storagePath }: Token, variable: string): string => {
    const type = `auth(FungibleToken.Withdraw) &${name}.Vault`
    return `let ${variable} = signer.storage.borrow<${type}>(from: ${storagePath})
            ?? panic("The signer has no vault of ${name}")`
  }
  return {
    pair,
    swapped: eventShape(`A.${contract.hex}.SwapPair.Swap`, {
      inTokenAmount: 'UFix64',
      outTokenAmount: 'UFix64',
      direction: 'UInt8',
    }),
    script: Buffer.from(`import FungibleToken from 0x${systemAccounts.fungibleToken.hex}
import ${token0.name} from 0x${token0.contract.hex}
import ${token1.name} from 0x${token1.contract.hex}
import SwapPair from 0x${contract.hex}

transaction(amount: UFix64, direction: UInt8, atLeast: UFix64) {
    prepare(signer: auth(BorrowValue) &Account) {
        ${vault(token0, 'first')}
        ${vault(token1, 'second')}
        let taken <- direction == 0
            ? <-SwapPair.swap(from: <-first.withdraw(amount: amount))
            : <-SwapPair.swap(from: <-second.withdraw(amount: amount))
        assert(taken.balance >= atLeast, message: "The price has changed")
        if direction == 0 { second.deposit(from: <-taken) } else { first.deposit(from: <-taken) }
    }
}
`),
  }
})

export const swap = activity<Swap>({
  name: 'swap',
  perCycle: 16,
  act(turn) {
    const { random, payer } = turn
    const { vaults } = turn.state
    const { pair } = random.pick(kinds)
    const isForward = random.percent(50)
    const [tokenIn, tokenOut] = isForward ? [pair.token0, pair.token1] : [pair.token1, pair.token0]
    const amountIn = drawAmount(random, maxAmount)
    // Rounded in favour of the pair. Without a fee, so that the reversal returns the same amount.
    const [held, stock] = [vaults.balance(tokenIn, pair.contract), vaults.balance(tokenOut, pair.contract)]
    const memo = { pair, by: payer, isForward, amountIn, amountOut: (amountIn * stock) / (held + amountIn) }
    return { transaction: change(turn, memo), memo }
  },
  undo: (turn, { isForward, amountIn, amountOut, ...rest }) =>
    change(turn, { ...rest, isForward: !isForward, amountIn: amountOut, amountOut: amountIn }),
  lasting: reservesAtStart,
})

function change(turn: Turn, { pair, by, isForward, amountIn, amountOut }: Swap): DraftTransaction {
  const kind = kinds[pair.index]
  if (kind === undefined) throw new RangeError(`Unknown pair ${pair.index}`)
  const events: DraftEvent[] = []
  const direction = isForward ? 0 : 1
  const [tokenIn, tokenOut] = isForward ? [pair.token0, pair.token1] : [pair.token1, pair.token0]
  moveTokens(turn, tokenIn, by, pair.contract, amountIn, events)
  events.push({ shape: kind.swapped, values: [amountIn, amountOut, direction] })
  moveTokens(turn, tokenOut, pair.contract, by, amountOut, events)
  return {
    script: kind.script,
    arguments: [argument.ufix64(amountIn), argument.uint8(direction), argument.ufix64(amountOut)],
    authorizers: [by],
    gasLimit: 1000,
    computation: 55 + turn.random.below(20),
    events,
  }
}
