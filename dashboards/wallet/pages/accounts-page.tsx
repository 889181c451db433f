import { useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../../auth/auth-service.ts'
import { Button } from '../../kit/controls.tsx'
import { ErrorState, Loading } from '../../kit/state.tsx'
import type { NetworkSettings } from '../answers.gen.ts'
import { Link } from '../../kit/router.tsx'
import type { OwnAccount } from '../chain/chain-client.ts'
import type { AccountRow } from '../types.ts'
import { addressOf, useAccounts, useChainAccounts, useOwnAccounts, usePasskeys, useSettings } from '../own-data.ts'
import { AccountCard } from './account-card.tsx'
import { Assets } from './assets.tsx'
import { FirstPasskey, PageTitle } from './layout.tsx'
import { ImportAccount } from './import-account.tsx'
import { passkeyName } from '../chain/passkey-keys.ts'

export function AccountsPage(): ReactNode {
  const settings = useSettings()
  const passkeys = usePasskeys()
  const accounts = useAccounts()
  const { data: accountsOfUser } = useOwnAccounts()
  const [isImporting, setIsImporting] = useState(false)
  const error = passkeys.error ?? accounts.error
  if (passkeys.data === undefined || accounts.data === undefined) {
    return (
      <>
        <PageTitle title="Accounts" />
        <div className="panel">
          {error === null ? (
            <Loading label="Loading your accounts…" />
          ) : (
            <ErrorState
              title="Could not load your accounts"
              detail={problemText(error)}
              onRetry={() => void Promise.all([passkeys.refetch(), accounts.refetch()])}
            />
          )}
        </div>
      </>
    )
  }
  const rows = accounts.data
  const api = settings.networks.find((one) => one.has_explorer_api)
  return (
    <>
      <PageTitle title={passkeys.data.length === 0 ? 'Welcome' : 'Accounts'}>
        {passkeys.data.length > 0 && !isImporting && (
          <Button onClick={() => setIsImporting(true)}>Import account</Button>
        )}
      </PageTitle>
      {passkeys.data.length === 0 && <FirstPasskey />}
      {passkeys.data.length === 1 && accountsOfUser !== undefined && <SecondPasskey accounts={accountsOfUser} />}
      {isImporting && (
        <ImportAccount networks={settings.networks} passkeys={passkeys.data} onClose={() => setIsImporting(false)} />
      )}
      {passkeys.data.map((passkey) => {
        const own = rows.filter(({ credentialId }) => credentialId === passkey.id)
        const row = own.find(({ isFurther }) => isFurther !== true)
        const further = own.filter(({ isFurther }) => isFurther === true)
        const addresses = own.flatMap((one) => (api === undefined ? [] : (addressOf(one, api.network) ?? [])))
        const card = (one: NetworkSettings, of: AccountRow | undefined): ReactNode => (
          <AccountCard
            key={`${one.network}${of?.isFurther === true ? (addressOf(of, one.network) ?? '') : ''}`}
            settings={one}
            credentialId={passkey.id}
            passkeys={passkeys.data}
            row={of}
          />
        )
        return (
          <div className="stack" key={passkey.id}>
            {passkeys.data.length > 1 && <h2>{passkeyName(passkey)}</h2>}
            <div className="cards">
              {settings.networks.map((one) => card(one, row))}
              {further.flatMap((of) =>
                settings.networks
                  .filter(({ network }) => addressOf(of, network) !== undefined)
                  .map((one) => card(one, of)),
              )}
            </div>
            {api !== undefined &&
              addresses.flatMap((address) => {
                const account = accountsOfUser?.find((one) => one.network === api.network && one.address === address)
                return account === undefined
                  ? []
                  : [<Assets key={address} settings={api} account={account} isOnlyOne={addresses.length === 1} />]
              })}
          </div>
        )
      })}
    </>
  )
}

/** Above the chain's minimum, which the payer of the account paid, in FLOW. */
const minimumBalance = 0.001

/** Asked for once there is something to lose. */
function SecondPasskey({ accounts }: { readonly accounts: readonly OwnAccount[] }): ReactNode {
  const states = useChainAccounts(accounts)
  if (!states.some((state) => state !== undefined && Number(state.balance) > minimumBalance)) return null
  return (
    <p className="banner" role="status">
      <span>
        Your account has received money, and one passkey is the only access to it. Add a second passkey on another
        device, and its key to the account. <Link to="/passkeys">Add a second passkey</Link>
      </span>
    </p>
  )
}
