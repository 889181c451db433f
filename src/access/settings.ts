import { list, optionalInteger, optionalNumber, optionalText } from '../platform/setting.ts'
import type { Setting, SettingValues } from '../platform/setting.ts'

/** The access node where none is set. */
const defaultAccessNode = 'access.mainnet.nodes.onflow.org:9000'

const group = 'Access nodes'

export const accessNodeSettings = {
  CHAIN_ACCESS_NODE: optionalText({
    group,
    description:
      'Primary access node. host:port is gRPC without TLS; grpcs:// is gRPC with TLS; ' +
      'http:// and https:// are gRPC-web. ' +
      `Without it and CHAIN_ACCESS_NODES: ${defaultAccessNode}.`,
  }),
  CHAIN_ACCESS_NODES: list({
    group,
    description:
      'Access nodes for live ingestion, used together with CHAIN_ACCESS_NODE where that is set. ' +
      'All must be of one network.',
  }),
  CHAIN_HISTORIC_ACCESS_NODES: list({
    group,
    description:
      'Access nodes for the backfill, one or more for each spork. Without it the live ones serve the backfill too.',
  }),
  CHAIN_ARCHIVE_NODE: optionalText({
    group,
    description: 'A node that holds data from before the sporks of the others; joins the list for the backfill.',
  }),
  CHAIN_RPC_RPS: optionalNumber({
    group,
    min: 0,
    unit: 'calls per second and node',
    description:
      'Most calls to one access node. Without it, or with 0, there is no limit of ours; ' +
      'the limits of a node are honoured always.',
  }),
  CHAIN_RPC_BURST: optionalInteger({
    group,
    min: 1,
    unit: 'calls',
    description:
      'Calls that may be made at once before CHAIN_RPC_RPS holds back. Without it as much as one second allows.',
  }),
} satisfies Record<string, Setting<unknown>>

export type AccessNodeConfig = SettingValues<typeof accessNodeSettings>

/** Access nodes for live ingestion. */
export function liveEndpoints(config: AccessNodeConfig): readonly string[] {
  const { CHAIN_ACCESS_NODE: primary, CHAIN_ACCESS_NODES: nodes } = config
  if (primary === undefined) return nodes.length > 0 ? nodes : [defaultAccessNode]
  return [...new Set([primary, ...nodes])]
}

/** Access nodes for the backfill. */
export function historicEndpoints(config: AccessNodeConfig): readonly string[] {
  const nodes =
    config.CHAIN_HISTORIC_ACCESS_NODES.length > 0 ? config.CHAIN_HISTORIC_ACCESS_NODES : liveEndpoints(config)
  return config.CHAIN_ARCHIVE_NODE === undefined ? nodes : [...nodes, config.CHAIN_ARCHIVE_NODE]
}
