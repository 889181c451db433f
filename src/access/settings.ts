import { list, optionalInteger, optionalNumber, optionalText } from '../platform/setting.ts'
import type { Setting, SettingValues } from '../platform/setting.ts'

const defaultAccessNode = 'access.mainnet.nodes.onflow.org:9000'

const group = 'Access nodes'

export const accessNodeSettings = {
  CHAIN_ACCESS_NODE: optionalText({
    group,
    description:
      'Primary access node. host:port is gRPC without TLS; grpcs:// is gRPC with TLS; ' +
      'http:// and https:// are gRPC-web. ' +
      `Default if CHAIN_ACCESS_NODES is unset too: ${defaultAccessNode}.`,
  }),
  CHAIN_ACCESS_NODES: list({
    group,
    description:
      'Access nodes for live ingestion, in addition to CHAIN_ACCESS_NODE. All must belong to the same network.',
  }),
  CHAIN_HISTORIC_ACCESS_NODES: list({
    group,
    description: 'Access nodes for the backfill, at least one per spork. Default: the live nodes.',
  }),
  CHAIN_ARCHIVE_NODE: optionalText({
    group,
    description: 'An archive node with data of older sporks; added to the nodes for the backfill.',
  }),
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

export function historicEndpoints(config: AccessNodeConfig): readonly string[] {
  const nodes =
    config.CHAIN_HISTORIC_ACCESS_NODES.length > 0 ? config.CHAIN_HISTORIC_ACCESS_NODES : liveEndpoints(config)
  return config.CHAIN_ARCHIVE_NODE === undefined ? nodes : [...nodes, config.CHAIN_ARCHIVE_NODE]
}
