import { formatCount } from '../kit/formats.ts'
import type { AddressPreview, SearchResult, TransactionPreview } from './answers.gen.ts'
import { paths, sanitizeName, shorten } from './text.ts'
import { useApi } from './api.ts'

export interface Suggestion {
  readonly to: string
  readonly kind: string
  readonly name: string
  readonly note: string
}

export interface Suggestions {
  readonly suggestions: readonly Suggestion[]
  readonly isLoading: boolean
  readonly error: unknown
  readonly retry: () => void
}

export function useSuggestions(text: string): Suggestions {
  const isId = /^(?:0x)?(?:[0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text)
  const preview = useApi('/flow/search/preview', { q: text }, { isEnabled: isId })
  const found = useApi('/flow/search', { q: text, limit: 5 }, { isEnabled: text !== '', keepsPrevious: true })
  const previewed = isId && preview.data !== undefined ? previewSuggestions(preview.data.data) : []
  const all = [...previewed, ...(found.data === undefined ? [] : resultSuggestions(found.data.data))]
  const unique = all.filter(({ to }, i) => all.findIndex((other) => other.to === to) === i)
  return {
    suggestions: unique.slice(0, 12),
    isLoading: found.isFetching || (isId && preview.isFetching),
    error: found.error,
    retry: () => void found.refetch(),
  }
}

function previewSuggestions(preview: TransactionPreview | AddressPreview): Suggestion[] {
  const suggestions = preview.type === 'tx' ? previewTransactions(preview) : previewAddresses(preview)
  return suggestions.filter((suggestion) => suggestion !== undefined)
}

function previewTransactions({ cadence, evm, scheduled }: TransactionPreview): (Suggestion | undefined)[] {
  return [
    cadence === null
      ? undefined
      : {
          to: paths.transaction(cadence.id, cadence.block_height),
          kind: 'Transaction',
          name: shorten(cadence.id),
          note: cadence.execution_status === 'FAILURE' ? 'failed' : '',
        },
    evm === null
      ? undefined
      : {
          to: paths.evmTransaction(evm.hash),
          kind: 'EVM transaction',
          name: shorten(evm.hash),
          note: evm.method ?? '',
        },
    scheduled === null
      ? undefined
      : { to: paths.scheduled(scheduled.id), kind: 'Scheduled', name: scheduled.id, note: scheduled.status },
  ]
}

function previewAddresses({ cadence, evm, link }: AddressPreview): (Suggestion | undefined)[] {
  const owner = cadence === null ? link?.flow_address : undefined
  return [
    cadence === null
      ? undefined
      : {
          to: paths.account(cadence.address),
          kind: 'Account',
          name: cadence.address,
          note: formatCount(cadence.contract_count, 'contract'),
        },
    evm === null
      ? undefined
      : {
          to: paths.evmAddress(evm.address),
          kind: 'EVM address',
          name: evm.name ?? shorten(evm.address),
          note: evm.is_contract === true ? 'contract' : '',
        },
    owner === undefined
      ? undefined
      : { to: paths.account(owner), kind: 'Account', name: owner, note: 'owns this EVM address' },
  ]
}

const hitKinds = {
  block: 'Block',
  transaction: 'Transaction',
  evm_transaction: 'EVM transaction',
  account: 'Account',
  evm_address: 'EVM address',
  scheduled_transaction: 'Scheduled',
  public_key: 'Public key',
} as const

const hitPaths = {
  block: paths.block,
  transaction: paths.transaction,
  evm_transaction: paths.evmTransaction,
  account: paths.account,
  evm_address: paths.evmAddress,
  scheduled_transaction: paths.scheduled,
  public_key: paths.publicKey,
} as const

export function resultSuggestions(result: SearchResult): Suggestion[] {
  return [
    ...result.hits.map(({ type, id, block_height: height }) => ({
      to:
        type === 'transaction'
          ? paths.transaction(id, height)
          : hitPaths[type](type === 'block' ? String(height ?? id) : id),
      kind: hitKinds[type],
      name: shorten(id),
      note: height === null || type === 'block' ? '' : `block ${height}`,
    })),
    ...result.tokens.map(({ id, name, symbol, holder_count: holders }) => ({
      to: paths.token(id),
      kind: 'Token',
      name: symbol === null ? name : `${sanitizeName(name)} (${sanitizeName(symbol)})`,
      note: formatCount(holders, 'holder'),
    })),
    ...result.nft_collections.map(({ id, name, item_count: items }) => ({
      to: paths.collection(id),
      kind: 'NFTs',
      name,
      note: formatCount(items, 'item'),
    })),
    ...result.contracts.map(({ id, name, address, dependent_count: dependents }) => ({
      to: paths.contract(id),
      kind: 'Contract',
      name,
      note: dependents === 0 ? address : `used by ${dependents}`,
    })),
    ...result.accounts.map(({ address, label, category }) => ({
      to: paths.account(address),
      kind: 'Account',
      name: label,
      note: category,
    })),
  ]
}
