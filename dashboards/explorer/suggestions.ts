import { formatCount, formatNumber } from '../kit/formats.ts'
import type { AddressPreview, SearchResult, TransactionPreview } from './answers.gen.ts'
import { paths, sanitizeName, shorten, contractNameOf } from './text.ts'
import { useApi } from './api.ts'

export interface Suggestion {
  readonly to: string
  readonly name: string
  readonly note: string
  readonly kind?: string
  readonly picture?: { readonly source: string | null; readonly seed: string }
}

export interface SuggestionGroup {
  readonly title: string
  readonly isSimilar: boolean
  readonly suggestions: readonly Suggestion[]
}

export interface Suggestions {
  readonly groups: readonly SuggestionGroup[]
  /** Path of the only exact match. */
  readonly target: string | undefined
  readonly isLoading: boolean
  readonly error: unknown
  readonly retry: () => void
}

/** Limit of the API. */
export const maxSearchLength = 300

/** @param limit per group */
export function useSuggestions(text: string, limit: number): Suggestions {
  const isId = /^(?:0x)?(?:[0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text)
  const preview = useApi('/flow/search/preview', { q: text }, { isEnabled: isId })
  const found = useApi('/flow/search', { q: text, limit }, { isEnabled: text !== '', keepsPrevious: true })
  const result = found.data?.data
  const previewed = isId && preview.data !== undefined ? previewSuggestions(preview.data.data) : []
  const groups = result === undefined ? [] : groupsOf(result, previewed)
  return {
    groups,
    target: result === undefined ? undefined : onlyExact(result, groups),
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
          note: cadence.execution_status === 'FAILURE' ? 'failed' : `block ${formatNumber(cadence.block_height)}`,
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
  day: 'Day',
  block: 'Block',
  transaction: 'Transaction',
  evm_block: 'EVM block',
  evm_transaction: 'EVM transaction',
  account: 'Account',
  evm_address: 'EVM address',
  evm_token: 'EVM token',
  scheduled_transaction: 'Scheduled',
  public_key: 'Public key',
  node: 'Node',
} as const

const hitPaths = {
  day: paths.blocksOfDay,
  block: paths.block,
  transaction: paths.transaction,
  evm_block: paths.evmBlock,
  evm_transaction: paths.evmTransaction,
  account: paths.account,
  evm_address: paths.evmAddress,
  evm_token: paths.evmToken,
  scheduled_transaction: paths.scheduled,
  public_key: paths.publicKey,
  node: paths.node,
} as const

function hitSuggestion({ type, id, block_height: height, note }: SearchResult['hits'][number]): Suggestion {
  const kind = hitKinds[type]
  if (type === 'block' && height !== null) {
    return { to: paths.block(height), kind, name: formatNumber(height), note: note ?? shorten(id) }
  }
  return {
    to: type === 'transaction' ? paths.transaction(id, height) : hitPaths[type](id),
    kind,
    name: type === 'account' ? id : shorten(id),
    note: note ?? (height === null ? '' : `block ${formatNumber(height)}`),
  }
}

type Match = SearchResult['tokens'][number]['match']

const matches: readonly Match[] = ['exact', 'start', 'word', 'part', 'similar']

interface RankedGroup extends SuggestionGroup {
  readonly rank: number
}

function groupOf<Row extends { readonly match: Match }>(
  title: string,
  rows: readonly Row[],
  suggestionOf: (row: Row) => Suggestion,
): RankedGroup {
  const rank = Math.min(...rows.map(({ match }) => matches.indexOf(match)))
  const isSimilar = rows[0]?.match === 'similar'
  return { title: isSimilar ? `Similar ${title}` : title, isSimilar, rank, suggestions: rows.map(suggestionOf) }
}

/** Best match first. */
function groupsOf(result: SearchResult, previewed: readonly Suggestion[]): SuggestionGroup[] {
  const hits = unique([...previewed, ...result.hits.map(hitSuggestion)])
  const named = [
    groupOf('tokens', result.tokens, ({ id, name, symbol, holder_count: holders, logo }) => ({
      to: paths.token(id),
      name: symbol === null ? name : `${sanitizeName(name)} (${sanitizeName(symbol)})`,
      note: formatCount(holders, 'holder'),
      picture: { source: logo, seed: id },
    })),
    groupOf('EVM tokens', result.evm_tokens, ({ address, name, symbol, type, holders, icon_url: icon }) => ({
      to: paths.evmToken(address),
      name: symbol === null ? (name ?? address) : `${sanitizeName(name ?? address)} (${sanitizeName(symbol)})`,
      note: `${type}, ${formatCount(holders, 'holder')}`,
      picture: { source: icon, seed: address },
    })),
    groupOf('NFT collections', result.nft_collections, ({ id, name, item_count: items, square_image: image }) => ({
      to: paths.collection(id),
      name,
      note: formatCount(items, 'item'),
      picture: { source: image, seed: id },
    })),
    groupOf('accounts', result.accounts, ({ address, label, category }) => ({
      to: address.length > 18 ? paths.evmAddress(address) : paths.account(address),
      name: label,
      note: `${shorten(address)}, ${category}`,
    })),
    groupOf('contracts', result.contracts, ({ id, name, address, dependent_count: dependents }) => ({
      to: paths.contract(id),
      name,
      note: dependents === 0 ? address : `${address}, used by ${formatNumber(dependents)}`,
    })),
    groupOf('NFTs', result.nft_items, ({ nft_type: type, id, name, thumbnail }) => ({
      to: paths.item(type, id),
      name,
      note: `${contractNameOf(type)} #${id}`,
      picture: { source: thumbnail, seed: `${type} ${id}` },
    })),
    groupOf('events', result.event_types, ({ type, event_count: events }) => {
      const [, address, ...name] = type.startsWith('A.') ? type.split('.') : ['', '', type]
      const count = formatCount(events, 'event')
      return {
        to: paths.events(type),
        name: name.join('.'),
        note: address === '' ? count : `${shorten(`0x${address}`)}, ${count}`,
      }
    }),
    groupOf('own tables', result.own_tables, ({ worker, table, comment }) => ({
      to: table === null ? paths.ownWorker(worker) : paths.ownTable(worker, table),
      name: table === null ? worker : `${worker}.${table}`,
      note: comment,
    })),
  ]
  return [
    { title: hits.length === 1 ? 'match' : 'matches', isSimilar: false, suggestions: hits },
    ...named.toSorted((a, b) => a.rank - b.rank),
  ].filter(({ suggestions }) => suggestions.length > 0)
}

function unique(suggestions: readonly Suggestion[]): Suggestion[] {
  return suggestions.filter(({ to }, i) => suggestions.findIndex((other) => other.to === to) === i)
}

function onlyExact(result: SearchResult, groups: readonly SuggestionGroup[]): string | undefined {
  const { hits, ...named } = result
  const names = Object.values(named).flatMap((rows: ReadonlyArray<{ readonly match: Match }>) => rows)
  const [first, ...others] = groups[0]?.suggestions ?? []
  if (hits.length === 0) return names.length === 1 && names[0]?.match === 'exact' ? first?.to : undefined
  const isOnly = hits.length === 1 && others.length === 0 && names.every(({ match }) => match !== 'exact')
  return isOnly ? first?.to : undefined
}
