import type { ReactNode } from 'react'
import { Ago } from '../../kit/time.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { plainAmount } from '../chain/amounts.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import type { NetworkSettings } from '../answers.gen.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useExplorer, useOwnAccounts, useSignIns, useSettings } from '../own-data.ts'
import { PageTitle } from './layout.tsx'
import { QueryState } from '../../auth/action.tsx'

interface Transfer {
  readonly type: 'ft' | 'nft'
  readonly transaction_hash: string
  readonly event_index: number
  readonly leg: number
  readonly timestamp: string
  readonly sender?: string | null
  readonly receiver?: string | null
  readonly direction: 'withdraw' | 'deposit'
  readonly amount?: string
  readonly token?: { readonly symbol?: string | null; readonly name?: string | null; readonly token?: string }
  readonly collection?: { readonly name?: string | null }
  readonly name?: string | null
  readonly nft_id?: string
}

export function ActivityPage(): ReactNode {
  const { networks } = useSettings()
  const settings = networks.find((one) => one.has_explorer_api)
  const accounts = (useOwnAccounts().data ?? []).filter(({ network }) => network === settings?.network)
  return (
    <>
      <PageTitle title="Activity" />
      {settings !== undefined &&
        accounts.map((account) => (
          <Transfers key={account.address} settings={settings} account={account} isOnlyOne={accounts.length === 1} />
        ))}
      {settings === undefined && (
        <p className="banner">
          Transfers are not available: no explorer is configured. See the Accounts page for balances.
        </p>
      )}
      <SignIns />
    </>
  )
}

function Transfers({
  settings,
  account,
  isOnlyOne,
}: {
  readonly settings: NetworkSettings
  readonly account: OwnAccount
  readonly isOnlyOne: boolean
}): ReactNode {
  const { data, error, refetch } = useExplorer<Transfer>(`/flow/account/${account.address}/transfer?limit=50`)
  return (
    <section className="panel" aria-label={`Transfers of ${account.address}`}>
      <header>
        <h2>Transfers on {networkNames[account.network]}</h2>
        {!isOnlyOne && <code className="soft">{account.address}</code>}
      </header>
      {data === undefined && <QueryState what="transfers" error={error} refetch={refetch} />}
      {data?.length === 0 && (
        <EmptyState title="No transfers yet">Transfers appear here a few seconds after they happen.</EmptyState>
      )}
      <ul className="rows">
        {data?.map((transfer) => (
          <TransferRow
            key={`${transfer.transaction_hash}:${transfer.event_index}:${transfer.leg}`}
            transfer={transfer}
            explorer={settings.explorer_url}
          />
        ))}
      </ul>
    </section>
  )
}

function TransferRow({
  transfer,
  explorer,
}: {
  readonly transfer: Transfer
  readonly explorer: string | null
}): ReactNode {
  const {
    type,
    direction,
    amount = '',
    token,
    collection,
    name,
    nft_id: id,
    sender,
    receiver,
    timestamp,
    transaction_hash: hash,
  } = transfer
  const isOut = direction === 'withdraw'
  const other = isOut ? receiver : sender
  const what =
    type === 'ft'
      ? `${plainAmount(amount)} ${token?.symbol ?? token?.name ?? token?.token ?? ''}`
      : [name ?? `#${id ?? ''}`, ...(typeof collection?.name === 'string' ? [collection.name] : [])].join(' of ')
  return (
    <li>
      <span className="row-main">
        <span>
          {isOut ? 'Sent' : 'Received'}
          {other === undefined || other === null ? (
            ''
          ) : (
            <>
              {' '}
              {isOut ? 'to' : 'from'} <code>{other}</code>
            </>
          )}
        </span>
        <span className="soft small">
          <Ago at={timestamp} />
          {explorer !== null && (
            <>
              {' '}
              ·{' '}
              <a href={`${explorer}/transaction/${hash}`} target="_blank" rel="noreferrer">
                Transaction
              </a>
            </>
          )}
        </span>
      </span>
      <span className={isOut ? 'number' : 'number in'}>
        {isOut ? '−' : '+'}
        {what}
      </span>
    </li>
  )
}

function SignIns(): ReactNode {
  const { data, error, refetch } = useSignIns()
  const shown = data?.filter(({ event }) => !event.endsWith('_started')).slice(0, 30)
  return (
    <section className="panel" aria-label="Passkeys">
      <header>
        <h2>Passkeys and sign-ins</h2>
      </header>
      {shown === undefined && <QueryState what="sign-ins" error={error} refetch={refetch} />}
      {shown?.length === 0 && <EmptyState title="No passkey events yet" />}
      <ul className="rows">
        {shown?.map(({ event, at, ip, done }, i) => (
          <li key={`${at} ${i}`}>
            <span className="row-main">
              <span className={done ? '' : 'bad-text'}>{eventWords(event)}</span>
              <span className="soft small">
                <Ago at={at} />
                {ip === null ? '' : ` · from ${ip}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const words: Readonly<Record<string, string>> = {
  registration_completed: 'Passkey created',
  registration_failed: 'Passkey creation failed',
  authentication_completed: 'Passkey used',
  authentication_failed: 'Passkey rejected',
  passkey_removed: 'Passkey removed',
  passkey_restored: 'Passkey restored',
  passkey_updated: 'Passkey renamed',
  rate_limit_exceeded: 'Too many attempts blocked',
  challenge_expired: 'Attempt expired',
  counter_mismatch: 'Copied passkey rejected',
}

function eventWords(event: string): string {
  return (Object.hasOwn(words, event) ? words[event] : undefined) ?? event.replaceAll('_', ' ')
}
