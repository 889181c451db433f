import { useState } from 'react'
import type { ReactNode } from 'react'
import { addKey } from '../../../clients/signing/transactions/make-transaction.ts'
import type { NewKey } from '../../../clients/signing/transactions/make-transaction.ts'
import { problemText } from '../../auth/auth-service.ts'
import { readAddress } from '../chain/amounts.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import { useChainAccount } from '../own-data.ts'
import type { ChainKey } from '../types.ts'
import { ChangeDialog } from './change-dialog.tsx'

const fullWeight = 1000
const halfWeight = 500

/**
 * Accounts have keys, not other accounts as owners, so the key itself is copied: a later change of
 * the other account's keys does not change it here.
 */
export function RecoveryAccount({
  account,
  keys,
  onClose,
}: {
  readonly account: OwnAccount
  readonly keys: readonly ChainKey[]
  readonly onClose: () => void
}): ReactNode {
  const [text, setText] = useState('')
  const [weight, setWeight] = useState(fullWeight)
  const address = readAddress(text)
  const { data, error } = useChainAccount(account.network, address)
  const key = data === undefined ? undefined : recoveryKeyOf(data.keys)
  const isKnown = key !== undefined && keys.some((one) => !one.is_revoked && one.public_key === key.publicKey)
  const problem =
    address === account.address
      ? 'This is the account itself.'
      : address !== undefined && error !== null
        ? problemText(error)
        : data !== undefined && key === undefined
          ? 'That account has no key that can sign alone.'
          : isKnown
            ? 'That key is a key of this account.'
            : undefined
  return (
    <ChangeDialog
      account={account}
      done="The recovery key was added."
      change={{
        title: 'Add a recovery account',
        text:
          'Copies the key of another Flow account to this one. ' +
          'The wallet that holds that key can then sign for this account.',
        action: 'Add',
        isDangerous: weight === fullWeight,
        isIncomplete: key === undefined || problem !== undefined,
        code: (chain) => {
          if (key === undefined) throw new Error('no key of the recovery account')
          return addKey(chain, { ...key, weight })
        },
      }}
      onClose={onClose}
    >
      <label className="field">
        <span>Address of the other account</span>
        <input
          className="input mono"
          autoComplete="off"
          spellCheck={false}
          maxLength={40}
          placeholder="0x"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <label className="field">
        <span>Weight</span>
        <select className="input" value={weight} onChange={(event) => setWeight(Number(event.target.value))}>
          <option value={fullWeight}>1000: it signs alone, for another wallet of yours</option>
          <option value={halfWeight}>500: two such keys sign together, for people that you trust</option>
        </select>
      </label>
      {problem !== undefined && <p className="field-error">{problem}</p>}
      {key !== undefined && problem === undefined && (
        <p className="small wrap">
          Key <code>{key.publicKey}</code>
        </p>
      )}
      <p className="soft small">
        Use an account whose wallet can sign for other addresses, such as the Flow CLI. To recover, create a passkey
        here, and add its key with that wallet: “Import account” shows the command.
      </p>
    </ChangeDialog>
  )
}

function recoveryKeyOf(keys: readonly ChainKey[]): NewKey | undefined {
  const key = keys.find((one) => !one.is_revoked && one.weight >= fullWeight)
  if (key === undefined) return undefined
  const { public_key: publicKey, signature_algorithm: signature, hash_algorithm: hash } = key
  if (signature !== 'ECDSA_P256' && signature !== 'ECDSA_secp256k1') return undefined
  if (hash !== 'SHA2_256' && hash !== 'SHA3_256') return undefined
  return { publicKey, signatureAlgorithm: signature, hashAlgorithm: hash }
}
