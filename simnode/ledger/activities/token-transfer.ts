import { activity } from '../activity.ts'
import type { Turn } from '../activity.ts'
import type { DraftEvent, DraftTransaction } from '../draft.ts'
import { moveTokens } from '../movements/move-tokens.ts'
import type { Account } from '../world/account.ts'
import { somebodysAmount } from '../world/amounts.ts'
import { anyPerson } from '../world/people.ts'
import { flow, tokens } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'

const kinds = tokens.filter((token) => token !== flow)

const scripts = new Map(
  kinds.map((token) => [
    token,
    Buffer.from(`import FungibleToken from 0xee82856bf20e2aa6
import ${token.name} from 0x${token.contract.hex}

transaction(amount: UFix64, to: Address) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &${token.name}.Vault>(from: ${token.storagePath})
            ?? panic("The signer has no vault for ${token.symbol}")
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(${token.receiverPath})
            ?? panic("The recipient cannot receive ${token.symbol}")
        receiver.deposit(from: <-vault.withdraw(amount: amount))
    }
}
`),
  ]),
)

/** In whole tokens. */
const most = 2000

interface Sent {
  readonly token: Token
  readonly from: Account
  readonly to: Account
  readonly amount: bigint
}

function send(turn: Turn, { token, from, to, amount }: Sent): DraftTransaction {
  const events: DraftEvent[] = []
  moveTokens(turn, token, from, to, amount, events)
  return {
    script: scripts.get(token) as Buffer,
    arguments: [
      { type: 'UFix64', value: amount },
      { type: 'Address', value: to.address },
    ],
    authorizers: [from],
    gasLimit: 1000,
    computation: 25 + turn.random.below(10),
    events,
  }
}

/** Somebody sends tokens that are not FLOW. */
export const tokenTransfer = activity<Sent>({
  name: 'token-transfer',
  perTide: 40,
  act(turn) {
    const { random, payer } = turn
    const memo = {
      token: random.pick(kinds),
      from: payer,
      to: anyPerson(random, payer),
      amount: somebodysAmount(random, most),
    }
    return { transaction: send(turn, memo), memo }
  },
  giveBack: (turn, { token, from, to, amount }) => send(turn, { token, from: to, to: from, amount }),
})
