import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { amountText, amountUnits } from '../../../clients/signing/transactions/cadence-arguments.ts'
import {
  contractOfType,
  isLostErc20,
  sendErc20,
  sendFlow,
  sendFlowToEvm,
  sendNft,
  sendToken,
} from '../../../clients/signing/transactions/make-transaction.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import type { CoaMapping, EvmHolding, Vault } from '../../explorer/answers.gen.ts'
import { formatDollars } from '../../explorer/text.ts'
import { Link, navigate, useSearchValue } from '../../kit/router.tsx'
import { Button, Form } from '../../kit/controls.tsx'
import { Loading, EmptyState } from '../../kit/state.tsx'
import {
  amountProblem,
  erc20Amount,
  erc20Problem,
  erc20Units,
  maxToSend,
  plainAmount,
  chainOfAddress,
  isAddressOf,
  readAddress,
  reserveUnits,
} from '../chain/amounts.ts'
import { erc20Of, isFlowToken, readEvmAddress, tokenSymbol } from '../chain/assets.ts'
import type { Erc20 } from '../chain/assets.ts'
import { contractName } from '../chain/balance-changes.ts'
import { readHead } from '../chain/chain-client.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import { networkSettings, useChainAccount, useContacts, useExplorer, useOwnAccounts, useSettings } from '../own-data.ts'
import { AccountField, accountName } from './account-field.tsx'
import { PageTitle } from './layout.tsx'
import { ProblemLine } from '../../auth/action.tsx'
import { problemText } from '../../auth/auth-service.ts'
import { SendReview } from './send-review.tsx'
import type { Payment } from './send-review.tsx'

export function SendPage(): ReactNode {
  const { data: accounts, error } = useOwnAccounts()
  const [asset] = useSearchValue('asset')
  const [id] = useSearchValue('id')
  return (
    <>
      <PageTitle title={asset === '' ? 'Send FLOW' : id === '' ? 'Send tokens' : 'Send NFT'} />
      {accounts === undefined && (
        <div className="panel">
          {error === null ? <Loading label="Loading your accounts…" /> : <ProblemLine problem={problemText(error)} />}
        </div>
      )}
      {accounts?.length === 0 && (
        <div className="panel">
          <EmptyState title="No account to send from">Create one on the Accounts page.</EmptyState>
        </div>
      )}
      {accounts !== undefined && accounts.length > 0 && <SendForm accounts={accounts} />}
    </>
  )
}

function SendForm({ accounts }: { readonly accounts: readonly OwnAccount[] }): ReactNode {
  const [from, setFrom] = useSearchValue('from')
  const [assetType, setAssetType] = useSearchValue('asset')
  const [itemId] = useSearchValue('id')
  const account = accounts.find((one) => accountName(one) === from) ?? accounts[0]
  const [to, setTo] = useState('')
  const [amount, setAmount] = useState('')
  const [wasTried, setWasTried] = useState(false)
  const [payment, setPayment] = useState<Payment>()
  const toField = useRef<HTMLInputElement>(null)
  const amountField = useRef<HTMLInputElement>(null)
  const network = account?.network ?? 'testnet'
  const { data: state } = useChainAccount(network, account?.address)
  const hasExplorer = networkSettings(useSettings(), network)?.has_explorer_api === true
  const vaultPath = account === undefined || !hasExplorer ? undefined : `/flow/account/${account.address}/ft?limit=100`
  const { data: vaults } = useExplorer<Vault>(vaultPath)
  const { data: coas } = useExplorer<CoaMapping>(vaultPath === undefined ? undefined : `/flow/coa/${account?.address}`)
  const coa = coas?.[0]?.coa_address.toLowerCase()
  const { data: holdings } = useExplorer<EvmHolding>(
    coa === undefined ? undefined : `/flow/evm/address/${coa}/token?limit=100`,
  )
  const { data: contacts } = useContacts()
  const { data: head, error: headError } = useQuery({
    queryKey: ['head', network],
    queryFn: ({ signal }) => readHead(network, signal),
    staleTime: 60_000,
  })
  if (account === undefined) return null

  const flow = vaults?.find(({ token }) => isFlowToken(token))
  const tokens = vaults?.filter(({ token, balance }) => !isFlowToken(token) && Number(balance) > 0) ?? []
  const vault = tokens.find(({ token }) => token === assetType)
  const erc20s = holdings?.flatMap((one) => erc20Of(one) ?? []) ?? []
  const erc20 = erc20s.find(({ address }) => address === assetType)
  const hasErc20s = !hasExplorer || (coas !== undefined && (coa === undefined || holdings !== undefined))
  const asset = assetOf({ assetType, itemId, vault, flow, balance: state?.balance, erc20, hasErc20s })
  const address = readAddress(to) ?? readEvmAddress(to)
  const contact = contacts?.find((one) => one.address === address)
  const toProblem = recipientProblem(address, { text: to, account, coa, chain: head?.chain, asset })
  const sumProblem = amountProblemOf(asset, amount)
  const review = (): void => {
    setWasTried(true)
    if (toProblem !== undefined) toField.current?.focus()
    else if (sumProblem !== undefined) amountField.current?.focus()
    else if (address !== undefined && head !== undefined) {
      const code = codeOf(asset, address, amount)
      const what = asset.kind === 'nft' ? ([asset.name, ''] as const) : ([plainAmount(amount), asset.symbol] as const)
      const dollars = asset.kind === 'nft' ? undefined : dollarsOf(asset.price, amount)
      const evm = asset.kind === 'erc20' && coa !== undefined ? { contract: asset.type, from: coa } : undefined
      setPayment({ account, to: address, contact, chain: head.chain, code, what, dollars, erc20: evm })
    }
  }
  const startAgain = (): void => {
    setPayment(undefined)
    setTo('')
    setAmount('')
    setWasTried(false)
  }
  if (payment !== undefined)
    return (
      <SendReview
        payment={payment}
        onBack={() => setPayment(undefined)}
        onAgain={startAgain}
        onEnd={() => navigate('/')}
      />
    )
  return (
    <Form className="panel send-form" noValidate onSubmit={review}>
      <AccountField label="From" accounts={accounts} account={account} onChange={setFrom} />
      {asset.kind === 'nft' && (
        <p>
          <b className="wrap">{asset.name}</b> <span className="soft wrap">{asset.type}</span>
        </p>
      )}
      {asset.kind !== 'nft' && (tokens.length > 0 || erc20s.length > 0 || assetType !== '') && (
        <label className="field">
          <span>Token</span>
          <select className="input" value={assetType} onChange={(event) => setAssetType(event.target.value)}>
            <option value="">FLOW</option>
            {assetType !== '' && vault === undefined && erc20 === undefined && (
              <option value={assetType}>{contractName(assetType)}</option>
            )}
            {tokens.map((one) => (
              <option key={one.token} value={one.token}>
                {tokenSymbol(one)} · {one.token.split('.')[1]}
              </option>
            ))}
            {erc20s.map((one) => (
              <option key={one.address} value={one.address}>
                {one.symbol} on Flow EVM · {one.address.slice(0, 8)}…{one.address.slice(-4)}
              </option>
            ))}
          </select>
        </label>
      )}
      {contacts !== undefined && contacts.length > 0 && (
        <label className="field">
          <span>Contact</span>
          <select className="input" value={contact?.address ?? ''} onChange={(event) => setTo(event.target.value)}>
            <option value="">None</option>
            {contacts.map(({ id, name, address: known }) => (
              <option key={id} value={known}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <div className="field">
        <label htmlFor="send-to">To</label>
        <input
          ref={toField}
          id="send-to"
          className="input mono"
          value={to}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="0x"
          maxLength={60}
          aria-invalid={wasTried && toProblem !== undefined}
          aria-describedby="send-to-problem"
          onChange={(event) => setTo(event.target.value)}
        />
        <p className="soft small">
          {contact === undefined ? (
            <>
              {recipientsOf[asset.kind]} <Link to="/contacts">Contacts</Link>
            </>
          ) : (
            `${contact.name}, one of your contacts`
          )}
        </p>
        <p id="send-to-problem" className="field-error" role="status">
          {wasTried || address !== undefined ? toProblem : undefined}
        </p>
      </div>
      {asset.kind !== 'nft' && (
        <div className="field">
          <label htmlFor="send-amount">Amount in {asset.symbol}</label>
          <div className="with-button">
            <input
              ref={amountField}
              id="send-amount"
              className="input"
              inputMode="decimal"
              value={amount}
              autoComplete="off"
              placeholder="0.0"
              maxLength={24}
              aria-invalid={wasTried && sumProblem !== undefined}
              aria-describedby="send-amount-problem"
              onChange={(event) => setAmount(event.target.value.trim())}
            />
            <Button disabled={asset.balance === undefined} onClick={() => setAmount(allOf(asset))}>
              All
            </Button>
          </div>
          <p className="soft small">
            {asset.balance === undefined
              ? 'Loading the balance…'
              : `Balance: ${plainAmount(asset.balance)} ${asset.symbol}`}
          </p>
          <p id="send-amount-problem" className="field-error" role="status">
            {wasTried || amount !== '' ? sumProblem : undefined}
          </p>
        </div>
      )}
      <ProblemLine problem={headError === null ? undefined : problemText(headError)} />
      <Button type="submit" look="strong" disabled={head === undefined}>
        Review
      </Button>
    </Form>
  )
}

type Asset =
  | { readonly kind: 'nft'; readonly type: string; readonly id: string; readonly name: string }
  | {
      readonly kind: 'erc20'
      readonly type: string
      readonly symbol: string
      readonly balance: string | undefined
      readonly price: string | null
      /** Undefined while loading, and null if the EVM account does not hold it. */
      readonly token: Erc20 | undefined | null
    }
  | {
      readonly kind: 'flow' | 'token'
      readonly type: string
      readonly symbol: string
      readonly balance: string | undefined
      readonly price: string | null
      readonly reserve: bigint
    }

interface AssetFacts {
  readonly assetType: string
  readonly itemId: string
  readonly vault: Vault | undefined
  readonly flow: Vault | undefined
  /** In FLOW, from the chain. */
  readonly balance: string | undefined
  readonly erc20: Erc20 | undefined
  readonly hasErc20s: boolean
}

const recipientsOf = {
  flow: 'A Flow or EVM address.',
  token: 'A Flow address.',
  nft: 'A Flow address.',
  erc20: 'An EVM address.',
} as const

function assetOf({ assetType, itemId, vault, flow, balance, erc20, hasErc20s }: AssetFacts): Asset {
  if (readEvmAddress(assetType) === assetType) {
    const token = erc20 ?? (hasErc20s ? null : undefined)
    const held = erc20 === undefined ? undefined : erc20Amount(erc20.value, erc20.decimals)
    const symbol = erc20?.symbol ?? 'tokens'
    return { kind: 'erc20', type: assetType, symbol, balance: held, price: erc20?.price ?? null, token }
  }
  if (contractOfType(assetType) === undefined)
    return { kind: 'flow', type: '', symbol: 'FLOW', balance, price: flow?.usd_price ?? null, reserve: reserveUnits }
  if (/^\d{1,20}$/.test(itemId))
    return { kind: 'nft', type: assetType, id: itemId, name: `${contractName(assetType)} #${itemId}` }
  const symbol = vault === undefined ? contractName(assetType) : tokenSymbol(vault)
  const price = vault?.usd_price ?? null
  return { kind: 'token', type: assetType, symbol, balance: vault?.balance, price, reserve: 0n }
}

function codeOf(asset: Asset, to: string, amount: string): (chain: FlowChain) => TransactionCode {
  return (chain) => {
    if (asset.kind === 'nft') return sendNft(chain, { type: asset.type, id: BigInt(asset.id), to })
    if (asset.kind === 'erc20') {
      const decimals = asset.token?.decimals ?? 0
      return sendErc20(chain, { token: asset.type, decimals, amount: erc20Units(amount, decimals) ?? 0n, to })
    }
    const sum = { amount: amountUnits(amount), to }
    if (asset.kind === 'token') return sendToken(chain, { type: asset.type, ...sum })
    return to.length > 18 ? sendFlowToEvm(chain, sum) : sendFlow(chain, sum)
  }
}

/** For display only. */
function dollarsOf(price: string | null, amount: string): string | undefined {
  const value = Number(price ?? Number.NaN) * Number(amount)
  return Number.isFinite(value) ? formatDollars(value.toFixed(8)) : undefined
}

function amountProblemOf(asset: Asset, amount: string): string | undefined {
  if (asset.kind === 'nft') return undefined
  if (asset.kind !== 'erc20')
    return amountProblem(amount, asset.balance, { symbol: asset.symbol, reserve: asset.reserve })
  if (asset.token === undefined) return 'The token is loading. Try again in a moment.'
  return asset.token === null
    ? 'The EVM account of this account holds no such ERC-20 token with known decimals.'
    : erc20Problem(amount, asset.token)
}

function allOf(asset: Exclude<Asset, { readonly kind: 'nft' }>): string {
  if (asset.balance === undefined || asset.kind === 'erc20') return asset.balance ?? ''
  return amountText(maxToSend(asset.balance, asset.reserve)).replace(/\.?0+$/, '') || '0'
}

interface RecipientFacts {
  readonly text: string
  readonly account: OwnAccount
  readonly coa: string | undefined
  readonly chain: FlowChain | undefined
  readonly asset: Asset
}

function recipientProblem(
  address: string | undefined,
  { text, account, coa, chain, asset }: RecipientFacts,
): string | undefined {
  if (address === undefined && /^\s*0x[0-9a-f]{40}\s*$/i.test(text))
    return 'Invalid address: its letters do not match the checksum (EIP-55). A digit is wrong.'
  if (asset.kind === 'erc20') {
    if (address?.length !== 42) return 'Enter the full EVM address: 0x and 40 hex digits.'
    if (address === coa) return 'This is the EVM account that you send from.'
    return isLostErc20(asset.type, address) ? 'Tokens sent to their own contract or to address 0 are lost.' : undefined
  }
  if (address === undefined) return 'Enter the full address: 0x and 16 hex digits.'
  if (address.length > 18)
    return asset.kind === 'flow' ? undefined : 'Only FLOW can be sent to an EVM address. Enter a Flow address.'
  if (address === account.address) return 'This is the account that you send from.'
  if (chain === undefined || isAddressOf(address, chain)) return undefined
  const other = chainOfAddress(address)
  return other === undefined
    ? 'Invalid address: a digit is wrong.'
    : `This is an address of ${other}. Your account is on ${chain}.`
}
