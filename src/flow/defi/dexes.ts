import { cachedByType } from '../event-type-cache.ts'
import type { Network } from '../network.ts'

/** `pair-created` is emitted by factory contracts, the others by pairs. */
export type DefiEventKind =
  | 'swap-by-direction'
  | 'trade-by-side'
  | 'pool-swap'
  | 'pool-mint'
  | 'pool-burn'
  | 'lp-minted'
  | 'lp-burned'
  | 'flashloan'
  | 'pair-created'
  | 'fee-updated'

/** To support another exchange, add an entry and an event reader. */
export interface Dex {
  readonly key: 'incrementfi' | 'bloctoswap' | 'metapier'
  /** Also a PostgreSQL regular expression. */
  readonly pairContract: string
  readonly events: Readonly<Record<string, DefiEventKind>>
}

const liquidity = { TokensMinted: 'lp-minted', TokensBurned: 'lp-burned' } as const

/**
 * In matching order. In the first two, the pair contract is also the liquidity token. Sources: the
 * deployed contracts SwapPair (Increment Labs), FlowSwapPair and its siblings (Blocto), PierPair
 * (Metapier).
 */
export const dexes: readonly Dex[] = [
  {
    key: 'incrementfi',
    pairContract: '^SwapPair$',
    events: { Swap: 'swap-by-direction', Flashloan: 'flashloan', ...liquidity },
  },
  {
    key: 'bloctoswap',
    pairContract: '^[A-Za-z0-9_]+SwapPair$',
    events: { Trade: 'trade-by-side', FeeUpdated: 'fee-updated', ...liquidity },
  },
  {
    key: 'metapier',
    pairContract: '^PierPair$',
    events: { Swap: 'pool-swap', Mint: 'pool-mint', Burn: 'pool-burn' },
  },
]

/** Undefined: every account. */
const factories: Readonly<Record<Network, readonly string[] | undefined>> = {
  mainnet: ['b063c16cac85dbd1'],
  testnet: undefined,
  emulator: undefined,
}

export interface DefiEventType {
  readonly kind: DefiEventKind
  /** Account of the contract, 16 hex digits. */
  readonly account: string
  /** `A.<address>.<name>` */
  readonly contract: string
}

export type DefiEventTypes = (type: string) => DefiEventType | undefined

const patterns = dexes.map(({ pairContract, events }) => ({ contract: new RegExp(pairContract), events }))

export const defiEventTypes: (network: Network) => DefiEventTypes = cachedByType(
  (network) => (type) => parse(type, network),
)

function parse(type: string, network: Network): DefiEventType | undefined {
  const [, account, name, event] = /^A\.([0-9a-f]{16})\.([^.]+)\.([^.]+)$/.exec(type) ?? []
  if (account === undefined || name === undefined || event === undefined) return undefined
  const kind = kindOf(account, name, event, network)
  return kind === undefined ? undefined : { kind, account, contract: `A.${account}.${name}` }
}

function kindOf(account: string, name: string, event: string, network: Network): DefiEventKind | undefined {
  if (name === 'SwapFactory') {
    const isKnown = factories[network]?.includes(account) ?? true
    return isKnown && event === 'PairCreated' ? 'pair-created' : undefined
  }
  for (const { contract, events } of patterns) {
    if (contract.test(name)) return Object.hasOwn(events, event) ? events[event] : undefined
  }
  return undefined
}
