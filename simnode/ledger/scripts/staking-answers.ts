import { Refusal } from '../../node/refusal.ts'
import { json } from './cadence-json.ts'
import type { CadenceJson } from './cadence-json.ts'
import type { ScriptAnswer } from './script-answer.ts'

const byRole = (amounts: ReadonlyMap<number, string>): CadenceJson =>
  json.dictionary([...amounts].map(([role, amount]) => [json.uint8(role), json.ufix64(amount)]))

const texts = (list: readonly string[]): CadenceJson => json.array(list.map(json.string))

/** The scripts about the epoch and the staking table. */
export const stakingAnswers = {
  network_state: {
    arguments: 0,
    answer({ height, view, timestamp, network }, _args, structId) {
      return json.struct(structId('State'), {
        height: json.uint64(height),
        view_: json.uint64(view),
        timestamp: json.ufix64(`${Math.floor(timestamp)}.00000000`),
        epoch: json.uint64(network.epoch),
        phase: json.uint8(network.phase),
        startView: json.optional(network.startView, json.uint64),
        stakingEndView: json.optional(network.stakingEndView, json.uint64),
        endView: json.optional(network.endView, json.uint64),
        epochRewards: json.optional(network.epochRewards, json.ufix64),
        targetEndTime: json.uint64(network.targetEndTime),
        isStakingEnabled: json.bool(network.isStakingEnabled),
        totalStaked: json.ufix64(network.totalStaked),
        stakedByRole: byRole(network.stakedByRole),
        minimumStakeByRole: byRole(network.minimumStakeByRole),
        epochPayout: json.ufix64(network.epochPayout),
        rewardCut: json.ufix64(network.rewardCut),
        totalSupply: json.ufix64(network.flowSupply),
        nodeIds: texts(network.nodeIds),
        stakedNodeIds: texts(network.stakedNodeIds),
      })
    },
  },
  staking_nodes: {
    arguments: 1,
    answer(state, args, structId) {
      return json.array(
        args.strings(0).map((id) => {
          const node = state.node(id)
          if (node === undefined) {
            throw new Refusal('INVALID_ARGUMENT', `failed to execute script: node ${id} is not in the staking table`)
          }
          return json.struct(structId('Node'), {
            role: json.uint8(node.role),
            networkingAddress: json.string(node.networkingAddress),
            tokensStaked: json.ufix64(node.tokensStaked),
            tokensCommitted: json.ufix64(node.tokensCommitted),
            tokensUnstaking: json.ufix64(node.tokensUnstaking),
            tokensUnstaked: json.ufix64(node.tokensUnstaked),
            tokensRewarded: json.ufix64(node.tokensRewarded),
            tokensRequestedToUnstake: json.ufix64(node.tokensRequestedToUnstake),
            totalStakedWithDelegators: json.optional(node.totalStaked, json.ufix64),
            delegatorCount: json.int(node.delegatorCount),
            initialWeight: json.uint64(node.initialWeight),
          })
        }),
      )
    },
  },
} as const satisfies Record<string, ScriptAnswer>
