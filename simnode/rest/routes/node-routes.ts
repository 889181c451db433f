import { Refusal } from '../../node/refusal.ts'
import { accessCalls } from '../access-calls.ts'
import type { RestRoute } from '../rest-route.ts'
import { hex } from '../rest-values.ts'

/** Which chain it is, and which node. */
export const nodeRoutes: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/network/parameters',
    answer: async (calls) => ({ chain_id: (await calls.ask(accessCalls.networkParameters, {})).chainId }),
  },
  {
    method: 'GET',
    path: '/v1/node_version_info',
    async answer(calls) {
      const { info } = await calls.ask(accessCalls.versionInfo, {})
      if (info === undefined) throw new Refusal('INTERNAL', 'the answer has no version')
      return {
        semver: info.semver,
        commit: info.commit,
        spork_id: hex(info.sporkId),
        protocol_state_version: String(info.protocolStateVersion),
        spork_root_block_height: String(info.sporkRootBlockHeight),
        node_root_block_height: String(info.nodeRootBlockHeight),
      }
    },
  },
]
