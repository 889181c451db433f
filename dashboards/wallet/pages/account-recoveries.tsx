import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { cancelRecovery, disableRecovery, enableRecovery } from '../../../clients/signing/transactions/recovery.ts'
import { QueryState } from '../../auth/action.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { Badge, Button } from '../../kit/controls.tsx'
import { formatTime } from '../../kit/formats.ts'
import { networkNames } from '../../kit/network-names.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import { readRecoverable } from '../chain/passkeys.ts'
import type { RecoverableAccount } from '../chain/passkeys.ts'
import { useOwnAccounts } from '../own-data.ts'
import { ChangeDialog } from './change-dialog.tsx'
import type { Change } from './change-dialog.tsx'

interface Chosen {
  readonly account: OwnAccount
  readonly change: Change
  readonly done: string
}

/** Shown only where the operator deployed the contract. */
export function AccountRecoveries({ isEnabled }: { readonly isEnabled: boolean }): ReactNode {
  const auth = useAuth()
  const { data, error, refetch } = useQuery({
    queryKey: ['own', 'recoverable'],
    queryFn: () => readRecoverable(auth),
  })
  const { data: own } = useOwnAccounts()
  const [chosen, setChosen] = useState<Chosen>()
  if (data === undefined)
    return <QueryState what="the recoveries of accounts" rows={1} error={error} refetch={refetch} />
  const shown = data.accounts.filter(({ isOn }) => isOn || isEnabled)
  if (shown.length === 0)
    return data.accounts.length > 0 ? null : (
      <p className="panel-text soft">
        The new passkey becomes no key of your accounts: add a recovery account under “Passkeys” for that.
      </p>
    )
  return (
    <>
      <p className="panel-text soft">
        For accounts that are on, it also becomes a key with full control. Then you trust the contract that enforces the
        delay, the key of this wallet’s operator that announces a recovery, and your mailbox.
      </p>
      <ul className="rows" aria-label="Accounts">
        {shown.map((one) => {
          const account = own?.find(({ network, address }) => network === one.network && address === one.address)
          const choose = (change: Change, done: string): void => {
            if (account !== undefined) setChosen({ account, change, done })
          }
          return (
            <li key={`${one.network} ${one.address}`}>
              <span className="row-main">
                <span className="row-name">
                  <code>{one.address}</code> {one.isOn && <Badge>On</Badge>}
                </span>
                <span className="soft small">
                  {networkNames[one.network]}
                  {one.dueAt !== null && ` · a key is added at ${formatTime(one.dueAt)}`}
                </span>
              </span>
              <span className="row-actions">
                {one.dueAt !== null && (
                  <Button
                    isSmall
                    look="strong"
                    disabled={account === undefined}
                    onClick={() => choose(cancelling(one), 'The recovery of the account was cancelled.')}
                  >
                    Cancel on the chain
                  </Button>
                )}
                <Button
                  isSmall
                  disabled={account === undefined}
                  aria-label={`${one.isOn ? 'Switch off' : 'Switch on'} for ${one.address}`}
                  onClick={() =>
                    one.isOn
                      ? choose(disabling(one), 'The recovery of the account is off.')
                      : choose(enabling(one, data.userId), 'The recovery of the account is on.')
                  }
                >
                  {one.isOn ? 'Switch off' : 'Switch on'}
                </Button>
              </span>
            </li>
          )
        })}
      </ul>
      {chosen !== undefined && <ChangeDialog {...chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}

function enabling({ address, contract, recoverer }: RecoverableAccount, user: string): Change {
  return {
    title: 'Recover this account by e-mail?',
    text:
      `The contract FlowfarmRecovery at ${contract} receives a capability to add keys to ${address}. After a ` +
      `recovery by e-mail begins, ${recoverer} announces its passkey, and the contract adds it 24 hours later, ` +
      'unless you cancel. Until you switch it off, a reader of your mailbox takes the account if you do not react ' +
      'to the e-mails.',
    action: 'Switch on',
    isDangerous: true,
    code: () => enableRecovery({ contract, recoverer, user }),
  }
}

function disabling({ address, contract }: RecoverableAccount): Change {
  return {
    title: 'Stop recovering this account?',
    text: `Revokes the capability for ${address}. If you lose all keys of the account, it is lost.`,
    action: 'Switch off',
    isDangerous: false,
    code: () => disableRecovery(contract),
  }
}

function cancelling({ address, contract }: RecoverableAccount): Change {
  return {
    title: 'Cancel the recovery on the chain?',
    text: `The announced key is not added to ${address}, and the recovery by e-mail ends with it.`,
    action: 'Cancel the recovery',
    isDangerous: false,
    code: () => cancelRecovery(contract),
  }
}
