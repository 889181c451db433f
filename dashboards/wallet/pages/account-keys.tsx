import { useState } from 'react'
import type { ReactNode } from 'react'
import { addKey, revokeKey } from '../../../clients/signing/transactions/make-transaction.ts'
import { Badge, Button } from '../../kit/controls.tsx'
import type { OwnAccount } from '../chain/chain-client.ts'
import { keyOfPasskey, passkeyOfKey, passkeyName } from '../chain/passkey-keys.ts'
import type { ChainKey, PasskeyRow } from '../types.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useChainAccount } from '../own-data.ts'
import { QueryState } from '../../auth/action.tsx'
import { ChangeDialog } from './change-dialog.tsx'
import type { Change } from './change-dialog.tsx'
import { RecoveryAccount } from './recovery-account.tsx'

interface AccountKeysProps {
  readonly account: OwnAccount
  readonly passkeys: readonly PasskeyRow[]
}

export function AccountKeys({ account, passkeys }: AccountKeysProps): ReactNode {
  const { data, error, refetch } = useChainAccount(account.network, account.address)
  const [change, setChange] = useState<Change>()
  const [isAdding, setIsAdding] = useState(false)
  const ownName = (key: ChainKey): string | undefined => {
    const passkey = passkeyOfKey(passkeys, key)
    return passkey === undefined ? undefined : passkeyName(passkey)
  }
  const good = data?.keys.filter((key) => !key.is_revoked) ?? []
  const others =
    data === undefined
      ? []
      : passkeys.filter(({ publicKeySec1Hex }) => keyOfPasskey(data, publicKeySec1Hex) === undefined)
  return (
    <section className="panel" aria-label={`Keys of ${account.address}`}>
      <header>
        <h2>Keys on {networkNames[account.network]}</h2>
        <code className="soft">{account.address}</code>
      </header>
      {data === undefined && <QueryState what="the keys" rows={1} error={error} refetch={refetch} />}
      <ul className="rows">
        {data?.keys.map((key) => (
          <li key={key.index}>
            <span className="row-main">
              <span className="row-name">
                {ownName(key) ?? 'Not one of your passkeys'} {key.is_revoked && <Badge>Revoked</Badge>}
              </span>
              <span className="soft small">
                Key {key.index} · weight {key.weight} ·{' '}
                <code title={key.public_key}>{key.public_key.slice(0, 12)}…</code>
              </span>
            </span>
            {!key.is_revoked && (
              <span className="row-actions">
                <Button
                  isSmall
                  disabled={!mayRevoke(key, good)}
                  title={mayRevoke(key, good) ? undefined : 'You cannot revoke the last key that can sign alone'}
                  onClick={() => setChange(revoking(key, ownName(key), isLastOwn(key, good, passkeys)))}
                >
                  Revoke
                </Button>
              </span>
            )}
          </li>
        ))}
        {others.map((passkey) => (
          <li key={passkey.id}>
            <span className="row-main">
              <span className="soft">{passkeyName(passkey)} is not a key of this account</span>
            </span>
            <span className="row-actions">
              <Button isSmall aria-label={`Add ${passkeyName(passkey)}`} onClick={() => setChange(adding(passkey))}>
                Add
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <div className="panel-text apart">
        <span className="soft">
          A key of another Flow account of yours, or of two people that you trust, recovers this account.
        </span>
        <Button isSmall onClick={() => setIsAdding(true)}>
          Add a recovery account
        </Button>
      </div>
      {isAdding && data !== undefined && (
        <RecoveryAccount account={account} keys={data.keys} onClose={() => setIsAdding(false)} />
      )}
      {change !== undefined && (
        <ChangeDialog
          account={account}
          change={change}
          done="The keys were updated."
          onClose={() => setChange(undefined)}
        />
      )}
    </section>
  )
}

function mayRevoke(key: ChainKey, good: readonly ChainKey[]): boolean {
  return good.some((other) => other.index !== key.index && other.weight >= 1000)
}

/** Whether only other parties' keys are left without it. */
function isLastOwn(key: ChainKey, good: readonly ChainKey[], passkeys: readonly PasskeyRow[]): boolean {
  return !good.some(
    (other) => other.index !== key.index && other.weight >= 1000 && passkeyOfKey(passkeys, other) !== undefined,
  )
}

function revoking(key: ChainKey, name: string | undefined, isLast: boolean): Change {
  const left = isLast
    ? ' You lose access to the account unless you have another of its keys elsewhere: none of your passkeys ' +
      'can sign for it then.'
    : ''
  return {
    title: `Revoke key ${key.index}?`,
    text: `${name ?? 'This key'} will no longer sign for the account. A revoked key cannot be restored.` + left,
    action: 'Revoke',
    isDangerous: true,
    code: (chain) => revokeKey(chain, key.index),
  }
}

function adding(passkey: PasskeyRow): Change {
  const { publicKeySec1Hex } = passkey
  return {
    title: `Add ${passkeyName(passkey)}?`,
    text: 'It gets full control of the account, like the passkey that you use now.',
    action: 'Add',
    isDangerous: false,
    code: (chain) => addKey(chain, { publicKey: publicKeySec1Hex }),
  }
}
