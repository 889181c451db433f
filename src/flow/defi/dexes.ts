import type { Network } from '../network.ts'

/** What an event of a pair of tokens tells; `pair-created` comes from the contract that makes pairs. */
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

/**
 * An exchange by the contracts that make up its pairs. A further one is a further entry, and a reader for its events.
 */
export interface Dex {
  readonly key: 'incrementfi' | 'bloctoswap' | 'metapier'
  /** Matches the names of its pair contracts, also as a regular expression of PostgreSQL. */
  readonly pairContract: string
  /** By the name of the event. */
  readonly events: Readonly<Record<string, DefiEventKind>>
}

const liquidity = { TokensMinted: 'lp-minted', TokensBurned: 'lp-burned' } as const

/**
 * The exchanges whose contracts are known, in the order in which they are tried. Liquidity has no event of its own in
 * the first two: the pair's contract is that of its liquidity token, which is minted and burned with it. Sources: the
 * deployed contracts SwapPair (Increment Labs), FlowSwapPair and its siblings (Blocto), PierPair (Metapier).
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

/** Contracts that make pairs, by their account; undefined: in any account, for networks where none is known. */
const factories: Readonly<Record<Network, readonly string[] | undefined>> = {
  mainnet: ['b063c16cac85dbd1'],
  testnet: undefined,
  emulator: undefined,
}

/** What a type of event is to exchanges. */
export interface DefiEventType {
  readonly kind: DefiEventKind
  /** Account of the contract, 16 hex digits. */
  readonly account: string
  /** `A.<address>.<name>` */
  readonly contract: string
}

/** Tells the events of exchanges from others by their type alone; one look into a table for a type seen before. */
export type DefiEventTypes = (type: string) => DefiEventType | undefined

/** Anybody may deploy contracts, so types have no end. */
const maxKnownTypes = 20_000
const patterns = dexes.map(({ pairContract, events }) => ({ contract: new RegExp(pairContract), events }))
const byNetwork = new Map<Network, DefiEventTypes>()

/** The types of a network: which contracts make pairs depends on it. */
export function defiEventTypes(network: Network): DefiEventTypes {
  let types = byNetwork.get(network)
  if (types === undefined) byNetwork.set(network, (types = makeTypes(network)))
  return types
}

function makeTypes(network: Network): DefiEventTypes {
  const known = new Map<string, DefiEventType | undefined>()
  return (type) => {
    const found = known.get(type)
    if (found !== undefined || known.has(type)) return found
    if (known.size >= maxKnownTypes) known.clear()
    const parsed = parse(type, network)
    known.set(type, parsed)
    return parsed
  }
}

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
