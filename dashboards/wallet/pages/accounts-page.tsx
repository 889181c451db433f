import type { ReactNode } from 'react'
import { Failure, Loading } from '../../kit/state.tsx'
import { addressOf, useAccounts, usePasskeys } from '../own.ts'
import { AccountCard } from '../parts/account-card.tsx'
import { Collections } from '../parts/collections.tsx'
import { FirstPasskey } from '../parts/first-passkey.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { passkeyName } from '../passkeys/passkey-name.ts'
import { problemText } from '../../auth/problem.ts'
import { useSettings } from '../settings.ts'

/** All accounts, by passkey. */
export function AccountsPage(): ReactNode {
  const settings = useSettings()
  const passkeys = usePasskeys()
  const accounts = useAccounts()
  const error = passkeys.error ?? accounts.error
  if (passkeys.data === undefined || accounts.data === undefined) {
    return (
      <>
        <PageTitle title="Accounts" />
        <div className="panel">
          {error === null
            ? <Loading label="Your accounts load" />
            : <Failure title="Your accounts cannot be shown" detail={problemText(error)} onRetry={() => void Promise.all([passkeys.refetch(), accounts.refetch()])} />}
        </div>
      </>
    )
  }
  const rows = accounts.data
  const api = settings.networks.find((one) => one.has_explorer_api)
  return (
    <>
      <PageTitle title={passkeys.data.length === 0 ? 'Welcome' : 'Accounts'} />
      {passkeys.data.length === 0 && <FirstPasskey />}
      {passkeys.data.map((passkey) => {
        const row = rows.find(({ credentialId }) => credentialId === passkey.id)
        const address = row === undefined || api === undefined ? undefined : addressOf(row, api.network)
        return (
          <div className="stack" key={passkey.id}>
            {passkeys.data.length > 1 && <h2>{passkeyName(passkey)}</h2>}
            <div className="cards">
              {settings.networks.map((one) => <AccountCard key={one.network} settings={one} credentialId={passkey.id} row={row} />)}
            </div>
            {api !== undefined && address !== undefined && <Collections settings={api} address={address} />}
          </div>
        )
      })}
    </>
  )
}
