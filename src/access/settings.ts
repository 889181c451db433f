import { asError } from '../platform/errors.ts'
import { list, optionalInteger, optionalNumber, optionalText, SettingError, wordsOrNone } from '../platform/setting.ts'
import type { Setting, SettingValues } from '../platform/setting.ts'
import { parseEndpoint } from './transport/endpoint.ts'

const defaultAccessNode = 'access.mainnet.nodes.onflow.org:9000'

const group = 'Access nodes'
const sporks = 'sporks'

function ofNodes<Value extends string | readonly string[] | undefined>(setting: Setting<Value>): Setting<Value> {
  const read = (text: string | undefined): Value => {
    const value = setting.read(text)
    for (const node of [value ?? []].flat()) {
      try {
        if (node !== sporks) parseEndpoint(node)
      } catch (error) {
        throw new SettingError(`has an invalid ${asError(error).message}`)
      }
    }
    return value
  }
  return { ...setting, read }
}

export const accessNodeSettings = {
  CHAIN_ACCESS_NODE: ofNodes(
    optionalText({
      group,
      description:
        'Primary access node. host:port is gRPC without TLS; grpcs:// is gRPC with TLS; ' +
        'http:// and https:// are gRPC-web. ' +
        `Default if CHAIN_ACCESS_NODES is unset too: ${defaultAccessNode}.`,
    }),
  ),
  CHAIN_ACCESS_NODES: ofNodes(
    list({
      group,
      description:
        'Access nodes for live ingestion, in addition to CHAIN_ACCESS_NODE. All must belong to the same network.',
    }),
  ),
  CHAIN_HISTORIC_ACCESS_NODES: ofNodes(
    wordsOrNone({
      group,
      default: [sporks],
      description:
        'Access nodes for heights below the reach of the live nodes. sporks: the public nodes of the past sporks of ' +
        'mainnet or testnet, connected only for heights that no other node serves. Empty: none.',
    }),
  ),
  CHAIN_ARCHIVE_NODE: ofNodes(
    optionalText({
      group,
      description: 'An archive node with data of older sporks; added to the nodes for the backfill.',
    }),
  ),
  CHAIN_RPC_RPS: optionalNumber({
    group,
    min: 0,
    unit: 'calls per second per node',
    description:
      'Maximum call rate per access node. By default and with 0 unlimited; ' +
      'limits reported by a node always apply.',
  }),
  CHAIN_RPC_BURST: optionalInteger({
    group,
    min: 1,
    unit: 'calls',
    description: 'Calls allowed in a burst before CHAIN_RPC_RPS applies. Default: one second of CHAIN_RPC_RPS.',
  }),
} satisfies Record<string, Setting<unknown>>

export type AccessNodeConfig = SettingValues<typeof accessNodeSettings>

export function liveEndpoints(config: AccessNodeConfig): readonly string[] {
  const { CHAIN_ACCESS_NODE: primary, CHAIN_ACCESS_NODES: nodes } = config
  if (primary === undefined) return nodes.length > 0 ? nodes : [defaultAccessNode]
  return [...new Set([primary, ...nodes])]
}

/** Besides the live nodes. */
export function historicNodes(config: AccessNodeConfig): {
  readonly historicEndpoints: readonly string[]
  readonly includesSporks: boolean
} {
  const { CHAIN_HISTORIC_ACCESS_NODES: nodes, CHAIN_ARCHIVE_NODE: archive } = config
  return {
    historicEndpoints: [...nodes.filter((node) => node !== 'sporks'), ...(archive === undefined ? [] : [archive])],
    includesSporks: nodes.includes('sporks'),
  }
}
