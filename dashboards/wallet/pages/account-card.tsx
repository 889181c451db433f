import type { ReactNode } from 'react'
import { useAuth } from '../../auth/auth-provider.tsx'
import { ProblemLine, useAction } from '../../auth/action.tsx'
import { problemText } from '../../auth/auth-service.ts'
import { ApiProblem } from '../../kit/api.ts'
import { Badge, Button, Icon } from '../../kit/controls.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import { Link } from '../../kit/router.tsx'
import { plainAmount } from '../chain/amounts.ts'
import type { NetworkSettings, ChainAccount } from '../answers.gen.ts'
import type { AccountRow, AccountStanding, PasskeyRow } from '../types.ts'
import { networkNames } from '../../kit/network-names.ts'
import { addressOf, isPending, useChainAccount, useRefresh } from '../own-data.ts'
import { signersOf, passkeyName } from '../chain/passkey-keys.ts'
import { createAccounts } from '../chain/passkeys.ts'

interface AccountCardProps {
  readonly settings: NetworkSettings
  readonly credentialId: string
  readonly passkeys: readonly PasskeyRow[]
  readonly row: AccountRow | undefined
}

export function AccountCard({ settings, credentialId, passkeys, row }: AccountCardProps): ReactNode {
  const { network } = settings
  const address = row === undefined ? undefined : addressOf(row, network)
  return (
    <section className="panel account" aria-label={`Account on ${networkNames[network]}`}>
      <header>
        <Badge
          tone={network === 'mainnet' ? 'good' : 'warn'}
          {...(network === 'testnet' ? { title: 'Testnet FLOW has no value' } : {})}
        >
          {networkNames[network]}
        </Badge>
        {address !== undefined && (
          <span className="address">
            <code>{address}</code>
            <CopyButton text={address} what="address" />
          </span>
        )}
      </header>
      {address === undefined ? (
        <NoAccount settings={settings} credentialId={credentialId} standing={row?.networks?.[network]} />
      ) : (
        <Balance settings={settings} address={address} passkeys={passkeys} />
      )}
    </section>
  )
}

interface BalanceProps {
  readonly settings: NetworkSettings
  readonly address: string
  readonly passkeys: readonly PasskeyRow[]
}

function Balance({ settings: { network, explorer_url: explorer }, address, passkeys }: BalanceProps): ReactNode {
  const { data, error } = useChainAccount(network, address)
  return (
    <div className="account-body">
      <div>
        <p className="balance">
          {data === undefined && error === null && (
            <span className="skeleton" aria-label="Loading the balance…" role="status" />
          )}
          {data !== undefined && (
            <>
              <b>{plainAmount(data.balance)}</b> FLOW
            </>
          )}
          {data === undefined && error !== null && <span className="soft">Balance unavailable</span>}
        </p>
        {data !== undefined && <AccountSigners account={data} passkeys={passkeys} />}
      </div>
      {error !== null && <p className="soft small">{problemText(error)}</p>}
      <div className="button-row">
        <Link className="button strong" to={`/send?from=${network}:${address}`}>
          <Icon name="send" /> Send
        </Link>
        <Link className="button" to={`/receive?to=${network}:${address}`}>
          <Icon name="down" /> Receive
        </Link>
        {explorer !== null && (
          <a className="button" href={`${explorer}/account/${address}`} target="_blank" rel="noreferrer">
            Explorer <Icon name="external" size={14} />
          </a>
        )}
      </div>
    </div>
  )
}

function NoAccount({
  settings,
  credentialId,
  standing,
}: {
  readonly settings: NetworkSettings
  readonly credentialId: string
  readonly standing: AccountStanding | undefined
}): ReactNode {
  const { network } = settings
  const auth = useAuth()
  const reload = useRefresh()
  const { isBusy, problem, run } = useAction()
  const make = (): void =>
    void run(async () => {
      try {
        const { error, state } = (await createAccounts(auth, credentialId, [network]))[network] ?? {}
        if (state === 'failed' || state === 'refused')
          throw new ApiProblem(
            422,
            error?.code ?? 'PROVISION_FAILED',
            error?.message ?? 'Could not create the account.',
          )
      } finally {
        await reload()
      }
    })
  const isMade = isBusy || (standing !== undefined && isPending(standing))
  const refused = standing?.state === 'failed' ? standing.error : undefined
  return (
    <div className="account-body">
      {isMade ? (
        <p className="soft" role="status">
          <span className="spinner" aria-hidden="true" /> Creating the account. This takes a few seconds.
        </p>
      ) : (
        <p className="soft">
          {settings.makes_accounts
            ? 'This passkey has no account on this network.'
            : 'This wallet does not create accounts on this network.'}
        </p>
      )}
      {!isMade && <ProblemLine problem={problem ?? refused?.message} />}
      {settings.makes_accounts && !isMade && refused?.mayRetry !== false && (
        <div className="button-row">
          <Button onClick={make}>{refused === undefined && problem === undefined ? 'Create account' : 'Retry'}</Button>
        </div>
      )}
    </div>
  )
}

interface AccountSignersProps {
  readonly account: ChainAccount
  readonly passkeys: readonly PasskeyRow[]
}

function AccountSigners({ account, passkeys }: AccountSignersProps): ReactNode {
  const { passkeys: signers, others } = signersOf(account, passkeys)
  const more =
    others === 0
      ? ''
      : others === 1
        ? ', and 1 key that is not one of your passkeys'
        : `, and ${others} keys that are not your passkeys`
  if (signers.length === 0)
    return <p className="small bad-text">None of your passkeys can sign for this account{more}</p>
  return (
    <p className="soft small wrap">
      Signed by {signers.map(passkeyName).join(' or ')}
      {more}
    </p>
  )
}
