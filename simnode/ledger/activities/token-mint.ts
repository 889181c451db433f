import { activity } from '../activity.ts'
import type { Turn } from '../activity.ts'
import type { DraftEvent, DraftTransaction } from '../draft.ts'
import { burnTokens, mintTokens } from '../movements/mint-tokens.ts'
import type { Account } from '../world/account.ts'
import { personOfTurn, turnsOf } from '../world/people.ts'
import { usdc } from '../world/tokens.ts'

/** In units of 10^-8. What was minted and not burnt stays for ever. */
const minted = 250_000_000_00n
const burned = 180_000_000_00n

const imports = `import FungibleToken from 0xee82856bf20e2aa6
import ${usdc.name} from 0x${usdc.contract.hex}
`
const mintScript = Buffer.from(`${imports}
transaction(amount: UFix64, to: Address) {
    prepare(minter: auth(BorrowValue) &Account) {
        let mint = minter.storage.borrow<&${usdc.name}.Minter>(from: /storage/${usdc.symbol}Minter) ?? panic("No minter")
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(${usdc.receiverPath})
            ?? panic("The recipient cannot receive ${usdc.symbol}")
        receiver.deposit(from: <-mint.mintTokens(amount: amount))
    }
}
`)
const burnScript = Buffer.from(`${imports}import Burner from 0xf8d6e0586b0a20c7

transaction(amount: UFix64) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &${usdc.name}.Vault>(from: ${usdc.storagePath})
            ?? panic("The signer has no vault for ${usdc.symbol}")
        Burner.burn(<-vault.withdraw(amount: amount))
    }
}
`)

function draft(
  turn: Turn,
  script: Buffer,
  amount: bigint,
  to: Account | undefined,
  authorizer: Account,
  events: DraftEvent[],
): DraftTransaction {
  const recipient = to === undefined ? [] : [{ type: 'Address', value: to.address } as const]
  return {
    script,
    arguments: [{ type: 'UFix64', value: amount }, ...recipient],
    authorizers: [authorizer],
    gasLimit: 1000,
    computation: 20 + turn.random.below(5),
    events,
  }
}

/** Dollars are made for one person after the other, who later gives most of them out of the world again. */
export const tokenMint = activity<Account>({
  name: 'token-mint',
  perTide: 4,
  act(turn) {
    const events: DraftEvent[] = []
    const to = personOfTurn(turn.ordinal)
    mintTokens(turn, usdc, to, minted, events)
    return { transaction: draft(turn, mintScript, minted, to, usdc.contract, events), memo: to }
  },
  giveBack(turn, holder) {
    const events: DraftEvent[] = []
    burnTokens(turn, usdc, holder, burned, events)
    return draft(turn, burnScript, burned, undefined, holder, events)
  },
  lasting: (token, account, turns) => (token === usdc ? BigInt(turnsOf(account, turns)) * (minted - burned) : 0n),
})

/** How much more dollars there are after so many turns, in units of 10^-8. */
export function dollarsMinted(turns: number): bigint {
  return BigInt(turns) * (minted - burned)
}
