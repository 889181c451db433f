import { expect } from 'chai'
import { readTransactionsResponse } from '../../src/access/wire/read-transactions.ts'
import type { TransactionBody } from '../../src/flow/transactions/transaction-id.ts'
import type { AccountKey, Account } from '../../simnode/ledger/world/account.ts'
import type { LedgerState } from '../../simnode/ledger/state/ledger-state.ts'
import { preprocessingError } from '../../simnode/ledger/submissions/signatures.ts'
import { bytesField, bytesOf } from '../../simnode/node/wire.ts'
import { readRepositoryFile } from '../support/repository.ts'
import { recording } from '../support/replay.ts'

interface RecordedKey {
  readonly index: number
  readonly public_key: string
  readonly sign_algo: 2 | 3
  readonly hash_algo: 1 | 3
  readonly weight: number
}

const { accounts } = JSON.parse(readRepositoryFile('test/recordings/base/truth.json')) as {
  readonly accounts: Readonly<Record<string, { readonly keys: readonly RecordedKey[] }>>
}

/**
 * State for signature checks only: the keys at the end of the recording, which all have the same
 * sequence number.
 */
function stateWith(sequenceNumber: number): LedgerState {
  const keysOf = ({ hex }: Account): readonly RecordedKey[] => accounts[`0x${hex}`]?.keys ?? []
  const keys = (account: Account): readonly AccountKey[] =>
    keysOf(account).map((key) => ({
      publicKey: Buffer.from(key.public_key, 'hex'),
      signatureAlgorithm: key.sign_algo === 2 ? 'ECDSA_P256' : 'ECDSA_secp256k1',
      hashAlgorithm: key.hash_algo === 1 ? 'SHA2_256' : 'SHA3_256',
      weight: BigInt(key.weight) * 100_000_000n,
      sequenceNumber,
      isRevoked: false,
    }))
  return { accounts: { exists: (account: Account) => keysOf(account).length > 0, keys } } as unknown as LedgerState
}

describe('signature check of the simulated node', () => {
  it("returns the chain's result for every recorded transaction, word for word", async () => {
    const version = (await recording('base')).versions.get('')
    const verdicts = new Map<string, number>()
    for (const { transactions, results } of version?.blocks ?? []) {
      const bodies: readonly TransactionBody[] = readTransactionsResponse(
        Buffer.concat(transactions.map((message) => bytesField(1, message))),
      )
      for (const [index, body] of bodies.entries()) {
        if (body.envelopeSignatures.length === 0) continue
        const error = bytesOf(results['json-cdc'][index] ?? Buffer.alloc(0), 3).toString('utf8')
        const [, current] = /has sequence number (\d+), but given/.exec(error) ?? []
        const isPreprocessing = /^\[Error Code: (1006|1007|1008|1009|1055)\]/.test(error)
        expect(preprocessingError(stateWith(Number(current ?? body.proposerSequenceNumber)), body) ?? '').to.equal(
          isPreprocessing ? error : '',
        )
        const verdict = isPreprocessing
          ? error.slice(13, 17)
          : [
              ...new Set(
                [...body.payloadSignatures, ...body.envelopeSignatures].map(({ extensionData }) =>
                  extensionData[0] === 1 ? 'passkey' : 'plain',
                ),
              ),
            ].join('+')
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
      }
    }
    expect(Object.fromEntries(verdicts)).to.deep.equal({
      plain: 698,
      passkey: 7,
      'passkey+plain': 1,
      '1007': 4,
      '1009': 2,
    })
  })
})
