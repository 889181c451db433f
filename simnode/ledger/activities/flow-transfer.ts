import { activity } from '../activity.ts'
import type { Turn } from '../activity.ts'
import type { DraftEvent, DraftTransaction } from '../draft.ts'
import { moveTokens } from '../movements/move-tokens.ts'
import type { Account } from '../world/account.ts'
import { somebodysAmount } from '../world/amounts.ts'
import { anyPerson } from '../world/people.ts'
import { flow } from '../world/tokens.ts'

const script = Buffer.from(`import FungibleToken from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79

transaction(amount: UFix64, to: Address) {
    let sent: @{FungibleToken.Vault}

    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")
        self.sent <- vault.withdraw(amount: amount)
    }

    execute {
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)
            ?? panic("The recipient cannot receive FLOW")
        receiver.deposit(from: <-self.sent)
    }
}
`)

/** In whole FLOW. */
const most = 2000

interface Sent {
  readonly from: Account
  readonly to: Account
  readonly amount: bigint
}

function send(turn: Turn, { from, to, amount }: Sent): DraftTransaction {
  const events: DraftEvent[] = []
  moveTokens(turn, flow, from, to, amount, events)
  return {
    script,
    arguments: [
      { type: 'UFix64', value: amount },
      { type: 'Address', value: to.address },
    ],
    authorizers: [from],
    gasLimit: 1000,
    computation: 20 + turn.random.below(10),
    events,
  }
}

/** Somebody sends FLOW to somebody else, most often a little. */
export const flowTransfer = activity<Sent>({
  name: 'flow-transfer',
  perTide: 110,
  act(turn) {
    const { random } = turn
    const memo = { from: turn.payer, to: anyPerson(random, turn.payer), amount: somebodysAmount(random, most) }
    return { transaction: send(turn, memo), memo }
  },
  giveBack: (turn, { from, to, amount }) => send(turn, { from: to, to: from, amount }),
})
