import { Fragment } from 'react'
import type { ReactNode } from 'react'
import type { FungibleMove } from '../../explorer/answers.gen.ts'
import { sanitizeName } from '../../explorer/text.ts'
import { describeTokenTransfers } from '../../explorer/transfer-summary.ts'
import { Link } from '../../kit/router.tsx'
import { Ago } from '../../kit/time.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { plainAmount } from '../chain/amounts.ts'
import { contractName } from '../chain/balance-changes.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import type { NetworkSettings } from '../answers.gen.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useContacts, useExplorer, useOwnAccounts, useSignIns, useSettings } from '../own-data.ts'
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
  readonly transfer_type?: FungibleMove['transfer_type']
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
            own={account.address}
            explorer={settings.explorer_url}
          />
        ))}
      </ul>
    </section>
  )
}

function Party({
  address,
  own,
  isFirst,
}: {
  readonly address: string
  readonly own: string
  readonly isFirst: boolean
}): ReactNode {
  const { data: contacts } = useContacts()
  if (address === own) return isFirst ? 'You' : 'you'
  const contact = contacts?.find((one) => one.address === address)
  return contact === undefined ? <code>{address}</code> : <b title={address}>{contact.name}</b>
}

function TransferRow({
  transfer,
  own,
  explorer,
}: {
  readonly transfer: Transfer
  readonly own: string
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
    transfer_type: kind = 'transfer',
  } = transfer
  const isOut = direction === 'withdraw'
  const symbol = sanitizeName(token?.symbol ?? token?.name ?? '', contractName(token?.token ?? ''))
  const what =
    type === 'ft'
      ? `${plainAmount(amount)} ${symbol}`
      : [name ?? `#${id ?? ''}`, ...(typeof collection?.name === 'string' ? [collection.name] : [])].join(' of ')
  const [sentence] = describeTokenTransfers([
    {
      token: token?.token ?? '',
      token_symbol: symbol,
      amount: type === 'ft' ? amount : '1',
      transfer_type: kind,
      from_address: sender ?? null,
      to_address: receiver ?? null,
      usd_value: null,
    },
  ])
  return (
    <li>
      <span className="row-main">
        <span>
          {sentence?.summary.map((segment, at) => (
            <Fragment key={at}>
              {typeof segment === 'string' ? (
                segment
              ) : 'account' in segment ? (
                <Party address={segment.account} own={own} isFirst={at === 0} />
              ) : (
                what
              )}
            </Fragment>
          ))}
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
        <Link to="/security">Security log</Link>
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
