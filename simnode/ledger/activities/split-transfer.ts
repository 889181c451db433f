import { activity } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import { arrayOf } from '../encoding/cadence-type.ts'
import { moveTokens } from '../movements/move-tokens.ts'
import type { Account } from '../world/account.ts'
import { somebodysAmount } from '../world/amounts.ts'
import { anyPerson } from '../world/people.ts'
import { flow } from '../world/tokens.ts'

const imports = `import FungibleToken from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79
`
const splitScript = Buffer.from(`${imports}
transaction(to: [Address], amounts: [UFix64]) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)!
        for i, address in to {
            getAccount(address).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)!
                .deposit(from: <-vault.withdraw(amount: amounts[i]))
        }
    }
}
`)
const gatherScript = Buffer.from(`${imports}
transaction(to: Address, amounts: [UFix64]) {
    prepare(one: auth(BorrowValue) &Account, two: auth(BorrowValue) &Account, three: auth(BorrowValue) &Account) {
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)!
        for i, signer in [one, two, three] {
            let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)!
            receiver.deposit(from: <-vault.withdraw(amount: amounts[i]))
        }
    }
}
`)

/** In whole FLOW, for each. */
const most = 100

interface Share {
  readonly account: Account
  readonly amount: bigint
}

/** Two array types, made once. */
const addresses = arrayOf('Address')
const amounts = arrayOf('UFix64')

/** Somebody sends FLOW to three others at once; they send it back together, each signing. */
export const splitTransfer = activity<{ readonly sender: Account; readonly shares: readonly Share[] }>({
  name: 'split-transfer',
  perTide: 8,
  act(turn) {
    const { payer, random } = turn
    const events: DraftEvent[] = []
    const shares: Share[] = []
    while (shares.length < 3) {
      const account = anyPerson(random, payer)
      if (shares.some((share) => share.account.index === account.index)) continue
      const amount = somebodysAmount(random, most)
      moveTokens(turn, flow, payer, account, amount, events)
      shares.push({ account, amount })
    }
    return {
      transaction: {
        script: splitScript,
        arguments: [
          { type: addresses, value: shares.map(({ account }) => account.address) },
          { type: amounts, value: shares.map(({ amount }) => amount) },
        ],
        authorizers: [payer],
        gasLimit: 9999,
        computation: 60 + random.below(10),
        events,
      },
      memo: { sender: payer, shares },
    }
  },
  giveBack(turn, { sender, shares }) {
    const events: DraftEvent[] = []
    for (const { account, amount } of shares) moveTokens(turn, flow, account, sender, amount, events)
    return {
      script: gatherScript,
      arguments: [
        { type: 'Address', value: sender.address },
        { type: amounts, value: shares.map(({ amount }) => amount) },
      ],
      authorizers: shares.map(({ account }) => account),
      gasLimit: 9999,
      computation: 70 + turn.random.below(10),
      events,
    }
  },
})
