import { activity } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import { arrayOf } from '../encoding/cadence-type.ts'
import { cadenceAlgorithms, keyAdded } from '../movements/account-events.ts'
import { endowment, setUpAccount } from '../movements/new-account.ts'
import { inventedKey } from '../state/account-key.ts'
import { createdOrdinal } from '../world/people.ts'
import { flow, systemAccounts } from '../world/tokens.ts'

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

/** The service account makes a new account with one key. */
export const accountCreation = activity({
  name: 'account-creation',
  perTide: 8,
  act(turn) {
    const { state, random } = turn
    const account = state.accounts.create()
    const events: DraftEvent[] = []
    const key = inventedKey(account, 0)
    const algorithms = cadenceAlgorithms(key)
    setUpAccount(turn, systemAccounts.service, account, events)
    events.push(keyAdded(account, 0, key))
    return {
      transaction: {
        script,
        arguments: [
          { type: bytes, value: key.publicKey },
          { type: 'UInt8', value: algorithms.signature },
          { type: 'UInt8', value: algorithms.hash },
        ],
        authorizers: [systemAccounts.service],
        gasLimit: 9999,
        computation: 45 + random.below(10),
        events,
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
