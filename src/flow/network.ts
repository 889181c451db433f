/** Networks with their own addresses, core contracts and sporks. */
export const networks = ['mainnet', 'testnet', 'emulator'] as const
export type Network = (typeof networks)[number]

/** Local chains use the emulator's addresses. Source: onflow/flow-go `model/flow/chain.go`. */
export function chainIdToNetwork(chainId: string): Network | undefined {
  switch (chainId) {
    case 'flow-mainnet':
      return 'mainnet'
    case 'flow-testnet':
      return 'testnet'
    case 'flow-emulator':
    case 'flow-localnet':
    case 'flow-benchnet':
    case 'flow-bft-test-net':
      return 'emulator'
    default:
      return undefined
  }
}

/** A section of a network's history with separate nodes. */
export interface Spork {
  /** As in host names: `mainnet17`, `candidate4`, `devnet52`. */
  readonly name: string
  readonly network: Network
  readonly rootHeight: number
  /** Exclusive; undefined for the latest spork in this table. */
  readonly endHeight: number | undefined
  /** Plaintext gRPC; undefined if none is listed. */
  readonly endpoint: string | undefined
  /** Nodes serve only `access.AccessAPI`. */
  readonly legacy: boolean
}

/** Ascending. Source: onflow/flow `sporks.json`. */
const mainnetRoots: readonly (readonly [name: string, rootHeight: number])[] = [
  ['candidate4', 1_065_711],
  ['candidate5', 2_033_592],
  ['candidate6', 3_187_931],
  ['candidate7', 4_132_133],
  ['candidate8', 4_972_987],
  ['candidate9', 6_483_246],
  ['mainnet1', 7_601_063],
  ['mainnet2', 8_742_959],
  ['mainnet3', 9_737_133],
  ['mainnet4', 9_992_020],
  ['mainnet5', 12_020_337],
  ['mainnet6', 12_609_237],
  ['mainnet7', 13_404_174],
  ['mainnet8', 13_950_742],
  ['mainnet9', 14_892_104],
  ['mainnet10', 15_791_891],
  ['mainnet11', 16_755_602],
  ['mainnet12', 17_544_523],
  ['mainnet13', 18_587_478],
  ['mainnet14', 19_050_753],
  ['mainnet15', 21_291_692],
  ['mainnet16', 23_830_813],
  ['mainnet17', 27_341_470],
  ['mainnet18', 31_735_955],
  ['mainnet19', 35_858_811],
  ['mainnet20', 40_171_634],
  ['mainnet21', 44_950_207],
  ['mainnet22', 47_169_687],
  ['mainnet23', 55_114_467],
  ['mainnet24', 65_264_619],
  ['mainnet25', 85_981_135],
  ['mainnet26', 88_226_267],
  ['mainnet27', 130_290_659],
  ['mainnet28', 137_390_146],
]

const testnetRoots: readonly (readonly [name: string, rootHeight: number])[] = [
  ['devnet51', 211_176_670],
  ['devnet52', 218_215_349],
  ['devnet53', 280_224_020],
  ['devnet54', 305_778_201],
]

/** Also sporks without a listed host. */
const otherEndpoints: Readonly<Record<string, string | undefined>> = {
  mainnet28: 'access.mainnet.nodes.onflow.org:9000',
  devnet53: undefined,
  devnet54: 'access.devnet.nodes.onflow.org:9000',
}

export const sporks: readonly Spork[] = [...table('mainnet', mainnetRoots), ...table('testnet', testnetRoots)]

/** Root of mainnet26: from here on nodes serve every event in CCF; below, some conversions fail. */
const ccfFromHeight = 88_226_267

export function encodingFor(network: Network, height: number): 'ccf' | 'json-cdc' {
  return network === 'mainnet' && height < ccfFromHeight ? 'json-cdc' : 'ccf'
}

/**
 * E.g. `access-001.mainnet17.nodes.onflow.org` is mainnet17. Undefined for the general hosts.
 *
 * @param endpoint host, host:port or URL
 */
export function sporkOfHost(endpoint: string): Spork | undefined {
  const name = /(?:^|[./-])((?:mainnet|candidate|devnet|testnet)\d+)(?=[.:/-]|$)/i.exec(endpoint)?.[1]?.toLowerCase()
  return name === undefined ? undefined : sporksByName.get(name.replace(/^testnet/, 'devnet'))
}

export function sporkOfRoot(rootHeight: number): Spork | undefined {
  return sporksByRoot.get(rootHeight)
}

/** Past sporks never change. */
export function isInPastSpork(network: Network, height: number): boolean {
  const own = sporks.filter((spork) => spork.network === network)
  return own.some(({ rootHeight, endHeight }) => endHeight !== undefined && rootHeight <= height && height < endHeight)
}

function table(network: Network, roots: typeof mainnetRoots): Spork[] {
  return roots.map(([name, rootHeight], i) => ({
    name,
    network,
    rootHeight,
    endHeight: roots[i + 1]?.[1],
    endpoint: name in otherEndpoints ? otherEndpoints[name] : `access-001.${name}.nodes.onflow.org:9000`,
    legacy: name.startsWith('candidate'),
  }))
}

const sporksByName = new Map(sporks.map((spork) => [spork.name, spork]))
const sporksByRoot = new Map(sporks.map((spork) => [spork.rootHeight, spork]))
