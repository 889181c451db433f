/** The networks that differ in addresses, core contracts and sporks. */
export const networks = ['mainnet', 'testnet', 'emulator'] as const
export type Network = (typeof networks)[number]

/**
 * The network of a chain id as nodes report it. Local chains of any kind share the emulator's addresses.
 * Source: onflow/flow-go `model/flow/chain.go`.
 * @returns undefined for a chain that is none of these
 */
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

/** A spork: the stretch of a network's history that one generation of nodes serves. */
export interface Spork {
  /** As in the host names of its nodes: `mainnet17`, `candidate4`, `devnet52`. */
  readonly name: string
  readonly network: Network
  readonly rootHeight: number
  /** Exclusive; undefined for the spork that was the last one when this table was made. */
  readonly endHeight: number | undefined
  /** The default access node, plaintext gRPC; undefined where none is listed. */
  readonly endpoint: string | undefined
  /** Its nodes serve only the service `access.AccessAPI`. */
  readonly legacy: boolean
}

/** Names and root heights, ascending. Source: onflow/flow `sporks.json`. */
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

/** The general hosts, which serve the newest spork, and sporks that list no host. */
const otherEndpoints: Readonly<Record<string, string | undefined>> = {
  mainnet28: 'access.mainnet.nodes.onflow.org:9000',
  devnet53: undefined,
  devnet54: 'access.devnet.nodes.onflow.org:9000',
}

/** The known sporks of mainnet and of the tail of testnet, by network and height. */
export const sporks: readonly Spork[] = [...table('mainnet', mainnetRoots), ...table('testnet', testnetRoots)]

/** The root of mainnet26: from here on mainnet's nodes give every event in CCF; below it some fail to convert. */
const ccfFromHeight = 88_226_267

/** How to ask for the events of a height. */
export function encodingFor(network: Network, height: number): 'ccf' | 'json-cdc' {
  return network === 'mainnet' && height < ccfFromHeight ? 'json-cdc' : 'ccf'
}

/**
 * The spork that a node serves, by its host name: `access-001.mainnet17.nodes.onflow.org` is mainnet17. The general
 * hosts say nothing, since they move on with each spork.
 * @param endpoint host, host:port or URL
 */
export function sporkOfHost(endpoint: string): Spork | undefined {
  const name = /(?:^|[./-])((?:mainnet|candidate|devnet|testnet)\d+)(?=[.:/-]|$)/i.exec(endpoint)?.[1]?.toLowerCase()
  return name === undefined ? undefined : sporksByName.get(name.replace(/^testnet/, 'devnet'))
}

/** The spork with this root height, if it is a known one. */
export function sporkOfRoot(rootHeight: number): Spork | undefined {
  return sporksByRoot.get(rootHeight)
}

/** Whether a height belongs to a spork that is over: nothing of it changes any more. */
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
