import { useState } from 'react'
import type { ReactNode } from 'react'
import {
  fundEvmAccount,
  createEvmAccount,
  withdrawEvmAccount,
} from '../../../clients/signing/transactions/make-transaction.ts'
import { amountUnits } from '../../../clients/signing/transactions/cadence-arguments.ts'
import type {
  AccountNftCollection,
  CoaMapping,
  EvmAddress,
  EvmHolding,
  NftItem,
  Vault,
} from '../../explorer/answers.gen.ts'
import { formatAmount, formatDollars, sanitizeName, sumAmounts } from '../../explorer/text.ts'
import { QueryState } from '../../auth/action.tsx'
import { Button, Icon } from '../../kit/controls.tsx'
import { Link } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import { amountProblem } from '../chain/amounts.ts'
import { erc20Of, isFlowToken, pictureOf, tokenSymbol } from '../chain/assets.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import type { NetworkSettings } from '../answers.gen.ts'
import { useExplorer } from '../own-data.ts'
import { ChangeDialog } from './change-dialog.tsx'

interface AssetsProps {
  readonly settings: NetworkSettings
  readonly account: OwnAccount
  readonly isOnlyOne: boolean
}

/** By the explorer, some seconds behind the chain. */
export function Assets(props: AssetsProps): ReactNode {
  return (
    <>
      <Tokens {...props} />
      <Collections {...props} />
      <EvmAccount {...props} />
    </>
  )
}

const sendPath = ({ network, address }: OwnAccount, asset: string): string =>
  `/send?from=${network}:${address}&asset=${encodeURIComponent(asset)}`

function PanelHead({ title, account, isOnlyOne, children }: AssetsHeadProps): ReactNode {
  return (
    <header>
      <h2>{title}</h2>
      {children}
      {!isOnlyOne && <code className="soft">{account.address}</code>}
    </header>
  )
}

interface AssetsHeadProps extends Pick<AssetsProps, 'account' | 'isOnlyOne'> {
  readonly title: string
  readonly children?: ReactNode
}

const labelOf = (what: string, { account, isOnlyOne }: Pick<AssetsProps, 'account' | 'isOnlyOne'>): string =>
  isOnlyOne ? what : `${what} of ${account.address}`

function Tokens({ settings, account, isOnlyOne }: AssetsProps): ReactNode {
  const { data, error, refetch } = useExplorer<Vault>(`/flow/account/${account.address}/ft?limit=100`)
  const held = data?.filter(({ balance }) => Number(balance) > 0)
  const values = (held ?? []).flatMap(({ usd_value: value }) => value ?? [])
  return (
    <section className="panel" aria-label={labelOf('Tokens', { account, isOnlyOne })}>
      <PanelHead title="Tokens" account={account} isOnlyOne={isOnlyOne}>
        {values.length > 0 && <span className="number">{formatDollars(sumAmounts(values))}</span>}
      </PanelHead>
      {held === undefined && <QueryState what="tokens" rows={1} error={error} refetch={refetch} />}
      {held?.length === 0 && (
        <EmptyState title="No tokens yet">
          Tokens appear here after the account receives them. <Link to="/receive">Receive</Link>
        </EmptyState>
      )}
      <ul className="rows">
        {held?.map((vault) => (
          <li key={vault.token}>
            <span className="asset">
              <Thumbnail source={vault.icon} name={tokenSymbol(vault)} isRound />
              <span className="row-main">
                <ExplorerLink to={settings.explorer_url} path={`/token/${vault.token.replace(/\.Vault$/, '')}`}>
                  {tokenSymbol(vault)}
                </ExplorerLink>
                <span className="soft small">{sanitizeName(vault.name)}</span>
              </span>
            </span>
            <span className="row-main number">
              <span>{formatAmount(vault.balance)}</span>
              <span className="soft small">
                {vault.usd_value === null ? 'No price' : formatDollars(vault.usd_value)}
              </span>
            </span>
            <span className="row-actions">
              <Link
                className="button small"
                aria-label={`Send ${tokenSymbol(vault)}`}
                to={isFlowToken(vault.token) ? sendPath(account, '') : sendPath(account, vault.token)}
              >
                Send
              </Link>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Collections({ settings, account, isOnlyOne }: AssetsProps): ReactNode {
  const { data, error, refetch } = useExplorer<AccountNftCollection>(`/flow/account/${account.address}/nft?limit=100`)
  return (
    <section className="panel" aria-label={labelOf('NFTs', { account, isOnlyOne })}>
      <PanelHead title="NFTs" account={account} isOnlyOne={isOnlyOne} />
      {data === undefined && <QueryState what="NFTs" rows={1} error={error} refetch={refetch} />}
      {data?.length === 0 && <EmptyState title="No NFTs yet" />}
      {data?.map((collection) => (
        <Collection key={collection.nft_type} settings={settings} account={account} collection={collection} />
      ))}
    </section>
  )
}

function Collection({
  settings,
  account,
  collection: { nft_type: type, display_name: name, square_image: image, number_of_tokens: count },
}: Pick<AssetsProps, 'settings' | 'account'> & { readonly collection: AccountNftCollection }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="collection" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon name="chevron" size={14} />
        <Thumbnail source={image} name={name} />
        <span className="row-name wrap">{sanitizeName(name)}</span>
        <span className="number">{count}</span>
      </summary>
      {isOpen && <Items settings={settings} account={account} type={type} />}
    </details>
  )
}

const maxItems = 60

function Items({
  settings,
  account,
  type,
}: Pick<AssetsProps, 'settings' | 'account'> & { readonly type: string }): ReactNode {
  const { data, error, refetch } = useExplorer<NftItem>(
    `/flow/account/${account.address}/nft/${type}?limit=${maxItems}`,
  )
  return (
    <>
      {data === undefined && <QueryState what="the NFTs" rows={1} error={error} refetch={refetch} />}
      {data?.length === 0 && <EmptyState title="No items indexed yet" />}
      <ul className="items">
        {data?.map(({ id, name, thumbnail, type: itemType }) => (
          <li key={id}>
            <Thumbnail source={thumbnail} name={name} isLarge />
            <ExplorerLink to={settings.explorer_url} path={`/nft/${type}/item/${id}`}>
              {sanitizeName(name, `#${id}`)}
            </ExplorerLink>
            <Link
              className="button small"
              aria-label={`Send ${sanitizeName(name, `#${id}`)}`}
              to={`${sendPath(account, itemType)}&id=${id}`}
            >
              Send
            </Link>
          </li>
        ))}
      </ul>
      {data?.length === maxItems && <p className="soft small panel-text">The first {maxItems} are shown.</p>}
    </>
  )
}

function EvmAccount({ settings, account, isOnlyOne }: AssetsProps): ReactNode {
  const coas = useExplorer<CoaMapping>(`/flow/coa/${account.address}`)
  const [change, setChange] = useState<'create' | 'fund' | 'withdraw'>()
  const address = coas.data?.[0]?.coa_address
  const state = useExplorer<EvmAddress>(address === undefined ? undefined : `/flow/evm/address/${address}`)
  const balance = state.data?.[0]?.flow_balance ?? undefined
  return (
    <section className="panel" aria-label={labelOf('Flow EVM', { account, isOnlyOne })}>
      <PanelHead title="Flow EVM" account={account} isOnlyOne={isOnlyOne} />
      {coas.data === undefined && (
        <QueryState what="the EVM account" rows={1} error={coas.error} refetch={coas.refetch} />
      )}
      {coas.data !== undefined && address === undefined && (
        <div className="panel-text apart">
          <span>An EVM account that this account controls holds FLOW and tokens on Flow EVM.</span>
          <Button isSmall onClick={() => setChange('create')}>
            Create EVM account
          </Button>
        </div>
      )}
      {address !== undefined && (
        <>
          <div className="panel-text apart">
            <span className="row-main">
              <span className="address">
                <ExplorerLink to={settings.explorer_url} path={`/evm/address/${address}`}>
                  <code className="wrap">{address}</code>
                </ExplorerLink>
                <CopyButton text={address} what="EVM address" />
              </span>
              <span>{balance === undefined ? 'Balance unavailable' : `${formatAmount(balance)} FLOW`}</span>
            </span>
            <span className="button-row">
              <Button isSmall onClick={() => setChange('fund')}>
                Fund
              </Button>
              <Button isSmall onClick={() => setChange('withdraw')}>
                Withdraw
              </Button>
            </span>
          </div>
          <EvmTokens address={address} settings={settings} account={account} />
        </>
      )}
      {change === 'create' && (
        <ChangeDialog
          account={account}
          done="The EVM account was created. It appears here in some seconds."
          change={{
            title: 'Create an EVM account?',
            text: `${account.address} gets an account on Flow EVM that only it controls.`,
            action: 'Create',
            isDangerous: false,
            code: createEvmAccount,
          }}
          onClose={() => setChange(undefined)}
        />
      )}
      {(change === 'fund' || change === 'withdraw') && (
        <EvmMoveDialog account={account} direction={change} balance={balance} onClose={() => setChange(undefined)} />
      )}
    </section>
  )
}

function EvmTokens({
  address,
  settings,
  account,
}: Pick<AssetsProps, 'settings' | 'account'> & { readonly address: string }): ReactNode {
  const { data } = useExplorer<EvmHolding>(`/flow/evm/address/${address}/token?limit=100`)
  return (
    <ul className="rows">
      {data?.map((holding) => {
        const { token, value, amount, usd_value: usd } = holding
        const erc20 = erc20Of(holding)
        return (
          <li key={`${token.address} ${token.type}`}>
            <span className="row-main">
              <ExplorerLink to={settings.explorer_url} path={`/evm/token/${token.address}`}>
                {sanitizeName(token.symbol ?? token.name ?? '', token.address)}
              </ExplorerLink>
              <span className="soft small">{token.type}</span>
            </span>
            <span className="row-main number">
              <span>{amount !== null ? formatAmount(amount) : token.type === 'ERC-20' ? `${value} units` : value}</span>
              {usd !== null && <span className="soft small">{formatDollars(usd)}</span>}
            </span>
            {erc20 !== undefined && (
              <span className="row-actions">
                <Link
                  className="button small"
                  aria-label={`Send ${erc20.symbol} on Flow EVM`}
                  to={sendPath(account, erc20.address)}
                >
                  Send
                </Link>
              </span>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function EvmMoveDialog({
  account,
  direction,
  balance,
  onClose,
}: {
  readonly account: OwnAccount
  readonly direction: 'fund' | 'withdraw'
  readonly balance: string | undefined
  readonly onClose: () => void
}): ReactNode {
  const [amount, setAmount] = useState('')
  const isFunding = direction === 'fund'
  const problem = amount === '' ? undefined : amountProblem(amount, undefined)
  return (
    <ChangeDialog
      account={account}
      done="The FLOW was moved. The balances here follow in some seconds."
      change={{
        title: isFunding ? 'Fund the EVM account' : 'Withdraw from the EVM account',
        text: isFunding
          ? `Moves FLOW from ${account.address} to its account on Flow EVM.`
          : `Moves FLOW from Flow EVM back to ${account.address}.`,
        action: isFunding ? 'Fund' : 'Withdraw',
        isDangerous: false,
        isIncomplete: amount === '' || problem !== undefined,
        code: (chain) => (isFunding ? fundEvmAccount : withdrawEvmAccount)(chain, amountUnits(amount)),
      }}
      onClose={onClose}
    >
      <label className="field">
        <span>Amount in FLOW</span>
        <input
          className="input"
          inputMode="decimal"
          autoComplete="off"
          autoFocus
          maxLength={24}
          value={amount}
          onChange={(event) => setAmount(event.target.value.trim())}
        />
      </label>
      {!isFunding && balance !== undefined && <p className="soft small">On EVM: {formatAmount(balance)} FLOW</p>}
      {problem !== undefined && <p className="field-error">{problem}</p>}
    </ChangeDialog>
  )
}

function ExplorerLink({
  to,
  path,
  children,
}: {
  readonly to: string | null
  readonly path: string
  readonly children: ReactNode
}): ReactNode {
  return to === null ? (
    <span>{children}</span>
  ) : (
    <a href={`${to}${path}`} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}

interface ThumbnailProps {
  readonly source: string | null
  readonly name: string
  readonly isRound?: boolean
  readonly isLarge?: boolean
}

/** Decorative: its name is beside it. */
export function Thumbnail({ source, name, isRound = false, isLarge = false }: ThumbnailProps): ReactNode {
  const [failed, setFailed] = useState<string>()
  const url = pictureOf(source ?? null)
  const className = `thumbnail${isRound ? ' round' : ''}${isLarge ? ' large' : ''}`
  if (url === undefined || failed === url)
    return (
      <span className={className} aria-hidden="true">
        {sanitizeName(name, '?').slice(0, 1).toUpperCase()}
      </span>
    )
  return (
    <img
      className={className}
      src={url}
      alt=""
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setFailed(url)}
    />
  )
}
