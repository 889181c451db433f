import { activity } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import { arrayOf, eventShape } from '../encoding/cadence-type.ts'
import { accountCreated, keyAdded, keyAlgorithms, vaultCapabilities } from '../movements/account-events.ts'
import { deposit, withdraw } from '../movements/move-tokens.ts'
import { deposited, withdrawn } from '../events/fungible-events.ts'
import { publicKey } from '../state/accounts.ts'
import { createdOrdinal } from '../world/people.ts'
import { flow, systemAccounts, vaultUuid } from '../world/tokens.ts'

/** What the service account gives to each new account for its storage, in units of 10^-8 FLOW. */
const endowment = 100_000n

const script = Buffer.from(`transaction(key: [UInt8], signatureAlgorithm: UInt8, hashAlgorithm: UInt8) {
    prepare(service: auth(BorrowValue) &Account) {
        let account = Account(payer: service)
        account.keys.add(
            publicKey: PublicKey(publicKey: key, signatureAlgorithm: SignatureAlgorithm(rawValue: signatureAlgorithm)!),
            hashAlgorithm: HashAlgorithm(rawValue: hashAlgorithm)!,
            weight: 1000.0
        )
    }
}
`)
const bytes = arrayOf('UInt8')
const feesDeposited = eventShape(`A.${systemAccounts.flowFees.hex}.FlowFees.TokensDeposited`, { amount: 'UFix64' })

/** The service account makes a new account with one key. */
export const accountCreation = activity({
  name: 'account-creation',
  perTide: 8,
  act(turn) {
    const { state, random, newUuid } = turn
    const account = state.accounts.create()
    const events: DraftEvent[] = []
    // The creation fee, which is nothing, is what is left of what was taken out.
    const taken = withdraw(turn, flow, systemAccounts.service, endowment, events)
    const given = newUuid()
    events.push(
      ...withdrawn({ token: flow, amount: endowment, account: undefined, vaultUuid: taken, movedUuid: given, balanceAfter: 0n }),
      ...deposited({
        token: flow, amount: 0n, account: systemAccounts.flowFees, vaultUuid: vaultUuid(flow, systemAccounts.flowFees),
        movedUuid: taken, balanceAfter: state.vaults.balance(flow, systemAccounts.flowFees),
      }),
      { shape: feesDeposited, values: [0n] },
      ...vaultCapabilities(account),
    )
    deposit(turn, flow, account, endowment, given, events)
    events.push(accountCreated(account), keyAdded(account, 0))
    return {
      transaction: {
        script,
        arguments: [
          { type: bytes, value: publicKey(account, 0) },
          { type: 'UInt8', value: keyAlgorithms.signature },
          { type: 'UInt8', value: keyAlgorithms.hash },
        ],
        authorizers: [systemAccounts.service], gasLimit: 9999, computation: 45 + random.below(10), events,
      },
      memo: undefined,
    }
  },
  lasting(token, account, turns) {
    if (token !== flow) return 0n
    if (account.index === systemAccounts.service.index) return -BigInt(turns) * endowment
    const ordinal = createdOrdinal(account)
    return ordinal !== undefined && ordinal < turns ? endowment : 0n
  },
})
