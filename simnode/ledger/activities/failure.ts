import { activity } from '../activity.ts'
import type { DraftTransaction } from '../draft.ts'
import type { Random } from '../random.ts'
import type { Account } from '../world/account.ts'
import { anyPerson } from '../world/people.ts'
import { flow } from '../world/tokens.ts'

const sendScript = Buffer.from(`import FungibleToken from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79

transaction(amount: UFix64, to: Address) {
    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)!
        getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)!
            .deposit(from: <-vault.withdraw(amount: amount))
    }
}
`)
const panicScript = Buffer.from(`transaction(deadline: UFix64) {
    prepare(signer: &Account) {}
    execute {
        if getCurrentBlock().timestamp > deadline { panic("Too late, zu spät, 遅すぎる") }
    }
}
`)
const much = 9_000_000_000_000_000n

function tooMuch(random: Random, payer: Account, balance: bigint): DraftTransaction {
  const asText = (amount: bigint): string =>
    `${amount / 100_000_000n}.${String(amount % 100_000_000n).padStart(8, '0')}`
  return {
    script: sendScript,
    arguments: [
      { type: 'UFix64', value: much },
      { type: 'Address', value: anyPerson(random, payer).address },
    ],
    authorizers: [payer],
    gasLimit: 1000,
    computation: 12,
    events: [],
    error:
      '[Error Code: 1101] error caused by: 1 error occurred:\n\t* transaction execute failed: [Error Code: 1101] ' +
      'cadence runtime error: Execution failed:\nerror: pre-condition failed: Cannot withdraw tokens! The amount ' +
      `requested (${asText(much)}) is greater than the balance of the Vault (${asText(balance)}).\n`,
  }
}

function tooLate(payer: Account, timeMs: number): DraftTransaction {
  return {
    script: panicScript,
    arguments: [{ type: 'UFix64', value: BigInt(Math.floor(timeMs / 1000) - 60) * 100_000_000n }],
    authorizers: [payer],
    gasLimit: 1000,
    computation: 3,
    events: [],
    error:
      '[Error Code: 1101] error caused by: 1 error occurred:\n\t* transaction execute failed: [Error Code: 1101] ' +
      'cadence runtime error: Execution failed:\nerror: panic: Too late, zu spät, 遅すぎる\n',
  }
}

/** What goes wrong: the fee is paid, and nothing else happens. */
export const failure = activity({
  name: 'failure',
  perTide: 30,
  act({ state, random, payer, timeMs }) {
    const transaction = random.percent(50)
      ? tooMuch(random, payer, state.vaults.balance(flow, payer))
      : tooLate(payer, timeMs)
    return { transaction, memo: undefined }
  },
})
