import { activity } from '../activity.ts'
import { arrayOf } from '../encoding/cadence-type.ts'
import { cadenceAlgorithms, keyAdded, keyRemoved } from '../movements/account-events.ts'
import { fullWeight, inventedKey } from '../state/account-key.ts'
import type { Account } from '../world/account.ts'
import { personOfTurn } from '../world/people.ts'

const addScript =
  Buffer.from(`transaction(key: [UInt8], signatureAlgorithm: UInt8, hashAlgorithm: UInt8, weight: UFix64) {
    prepare(signer: auth(AddKey) &Account) {
        signer.keys.add(
            publicKey: PublicKey(publicKey: key, signatureAlgorithm: SignatureAlgorithm(rawValue: signatureAlgorithm)!),
            hashAlgorithm: HashAlgorithm(rawValue: hashAlgorithm)!,
            weight: weight
        )
    }
}
`)
const revokeScript = Buffer.from(`transaction(index: Int) {
    prepare(signer: auth(RevokeKey) &Account) {
        signer.keys.revoke(keyIndex: index) ?? panic("No such key")
    }
}
`)
const bytes = arrayOf('UInt8')

/** One person after the other adds a key, and revokes it. */
export const keyChange = activity<{ readonly account: Account; readonly keyIndex: number }>({
  name: 'key-change',
  perTide: 4,
  act({ state, random, ordinal }) {
    const account = personOfTurn(ordinal)
    const keyIndex = state.accounts.addKey(account)
    const key = inventedKey(account, keyIndex)
    const algorithms = cadenceAlgorithms(key)
    return {
      transaction: {
        script: addScript,
        arguments: [
          { type: bytes, value: key.publicKey },
          { type: 'UInt8', value: algorithms.signature },
          { type: 'UInt8', value: algorithms.hash },
          { type: 'UFix64', value: fullWeight },
        ],
        authorizers: [account],
        gasLimit: 1000,
        computation: 10 + random.below(5),
        events: [keyAdded(account, keyIndex, key)],
      },
      memo: { account, keyIndex },
    }
  },
  giveBack({ state, random }, { account, keyIndex }) {
    state.accounts.revokeKey(account, keyIndex)
    return {
      script: revokeScript,
      arguments: [{ type: 'Int', value: keyIndex }],
      authorizers: [account],
      gasLimit: 1000,
      computation: 5 + random.below(5),
      events: [keyRemoved(account, keyIndex)],
    }
  },
})
