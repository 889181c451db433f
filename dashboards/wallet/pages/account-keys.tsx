import { useState } from 'react'
import type { ReactNode } from 'react'
import { addKey, revokeKey } from '../../../clients/signing/transactions/make-transaction.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { Badge, Button } from '../../kit/controls.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { useToast } from '../../kit/toast.tsx'
import { sendTransaction } from '../chain/chain-client.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import { keyOfPasskey, passkeyOfKey, passkeyName } from '../chain/passkey-keys.ts'
import type { ChainKey, PasskeyRow } from '../types.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useChainAccount, useRefresh, useSettings } from '../own-data.ts'
import { QueryState, useAction } from '../../auth/action.tsx'

interface AccountKeysProps {
  readonly account: OwnAccount
  readonly passkeys: readonly PasskeyRow[]
}

interface Change {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly isDangerous: boolean
  readonly code: (chain: FlowChain) => TransactionCode
}

export function AccountKeys({ account, passkeys }: AccountKeysProps): ReactNode {
  const { data, error, refetch } = useChainAccount(account.network, account.address)
  const [change, setChange] = useState<Change>()
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
      {change !== undefined && <ChangeDialog account={account} change={change} onClose={() => setChange(undefined)} />}
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

function ChangeDialog({
  account,
  change,
  onClose,
}: {
  readonly account: OwnAccount
  readonly change: Change
  readonly onClose: () => void
}): ReactNode {
  const { rp_id: rpId } = useSettings()
  const reload = useRefresh()
  const showToast = useToast()
  const { isBusy, problem, run } = useAction()
  const [control] = useState(() => new AbortController())
  const submit = async (): Promise<void> => {
    const isDone = await run(async () => {
      await sendTransaction({ rpId, account, code: change.code, onStage: () => undefined, signal: control.signal })
      await reload()
    })
    if (!isDone) return
    showToast('The keys were updated.')
    onClose()
  }
  return (
    <Dialog
      title={change.title}
      action={isBusy ? 'Waiting for the chain…' : change.action}
      isDangerous={change.isDangerous}
      isBusy={isBusy}
      error={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{change.text}</p>
      <p className="soft">Your passkey signs the transaction. The account pays a fee of less than 0.01 FLOW.</p>
    </Dialog>
  )
}
