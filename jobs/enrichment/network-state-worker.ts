import { cadence } from '../../src/flow/json-cdc/cadence-argument.ts'
import type { PayloadFields } from '../../src/flow/payload-value.ts'
import type { SqlColumn } from '../worker.ts'
import { listOf, mapOf, requiredStruct, textOf, textsOf, refreshPolicy } from './enrichment-worker.ts'
import type { EnrichmentWorker, EnrichmentTable, Statement } from './enrichment-worker.ts'

const minuteMs = 60_000

interface ResultColumn extends SqlColumn {
  readonly field: string
}

const column = (name: string, type: string, field: string): ResultColumn => ({ column: name, type, field })

const stateColumns: readonly ResultColumn[] = [
  column('height', 'bigint', 'height'),
  column('chain_view', 'bigint', 'view_'),
  column('epoch', 'bigint', 'epoch'),
  column('epoch_phase', 'smallint', 'phase'),
  column('epoch_start_view', 'bigint', 'startView'),
  column('staking_end_view', 'bigint', 'stakingEndView'),
  column('epoch_end_view', 'bigint', 'endView'),
  column('epoch_rewards', 'numeric', 'epochRewards'),
  column('total_staked', 'numeric', 'totalStaked'),
  column('epoch_payout', 'numeric', 'epochPayout'),
  column('reward_cut', 'numeric', 'rewardCut'),
  column('total_supply', 'numeric', 'totalSupply'),
]

const nodeColumns: readonly ResultColumn[] = [
  column('role', 'smallint', 'role'),
  column('networking_address', 'text', 'networkingAddress'),
  column('tokens_staked', 'numeric', 'tokensStaked'),
  column('tokens_committed', 'numeric', 'tokensCommitted'),
  column('tokens_unstaking', 'numeric', 'tokensUnstaking'),
  column('tokens_unstaked', 'numeric', 'tokensUnstaked'),
  column('tokens_rewarded', 'numeric', 'tokensRewarded'),
  column('tokens_requested_to_unstake', 'numeric', 'tokensRequestedToUnstake'),
  column('total_staked', 'numeric', 'totalStakedWithDelegators'),
  column('initial_weight', 'bigint', 'initialWeight'),
]

const valuesOf = (fields: PayloadFields, columns: readonly ResultColumn[]): Record<string, unknown> =>
  Object.fromEntries(columns.map(({ column: name, field }) => [name, textOf(fields, field)]))

const state: EnrichmentTable<{ readonly subject: string }> = {
  table: 'app.network_state',
  key: [{ column: 'subject', type: 'text' }],
  columns: [
    ...stateColumns,
    { column: 'block_time', type: 'timestamptz' },
    { column: 'target_end_time', type: 'timestamptz' },
    { column: 'is_staking_enabled', type: 'boolean' },
    { column: 'staked_by_role', type: 'jsonb' },
    { column: 'minimum_stake_by_role', type: 'jsonb' },
    { column: 'node_count', type: 'integer' },
    { column: 'staked_node_count', type: 'integer' },
  ],
  batch: 1,
  refresh: { ...refreshPolicy(minuteMs), maxFailedMs: 10 * minuteMs },
  newest: `select 'network'::text as subject limit $1`,
  query: async (rows, { reader, script, signal }) => {
    const fields = requiredStruct(await reader.executeScript(script('network_state'), [], { signal }))
    const nodeIds = textsOf(fields['nodeIds'])
    const stakedNodeIds = textsOf(fields['stakedNodeIds'])
    const values = {
      ...valuesOf(fields, stateColumns),
      block_time: timeOf(textOf(fields, 'timestamp')),
      target_end_time: timeOf(textOf(fields, 'targetEndTime')),
      is_staking_enabled: fields['isStakingEnabled'],
      staked_by_role: mapOf(fields['stakedByRole']),
      minimum_stake_by_role: mapOf(fields['minimumStakeByRole']),
      node_count: nodeIds.length,
      staked_node_count: stakedNodeIds.length,
    }
    return rows.map(() => ({ kind: 'answered', values, writes: [replaceNodes(nodeIds, stakedNodeIds)] }))
  },
}

function replaceNodes(nodeIds: readonly string[], stakedNodeIds: readonly string[]): Statement {
  return {
    text: `
      with now as (select node_id, node_id = any ($2::text[]) as is_participant from unnest($1::text[]) as n (node_id)),
      gone as (delete from app.staking_node_info i where not exists (select from now where now.node_id = i.node_id))
      insert into app.staking_node_info as i (node_id, is_participant) select node_id, is_participant from now
      on conflict (node_id) do update set is_participant = excluded.is_participant where i.is_participant <>
        excluded.is_participant`,
    values: [nodeIds, stakedNodeIds],
  }
}

/** @param seconds since 1970 */
function timeOf(seconds: string | null): string | null {
  return seconds === null ? null : new Date(Number(seconds) * 1000).toISOString()
}

const nodes: EnrichmentTable<{ readonly node_id: string }> = {
  table: 'app.staking_node_info',
  key: [{ column: 'node_id', type: 'text' }],
  columns: [...nodeColumns, { column: 'delegator_count', type: 'integer' }],
  batch: 25,
  refresh: refreshPolicy(60 * minuteMs),
  query: async (rows, { reader, script, signal }) => {
    const ids = cadence.array(rows.map((row) => cadence.string(row.node_id)))
    const results = listOf(await reader.executeScript(script('staking_nodes'), [ids], { signal }), rows.length)
    return results.map((result) => {
      const fields = requiredStruct(result)
      return {
        kind: 'answered',
        values: { ...valuesOf(fields, nodeColumns), delegator_count: textOf(fields, 'delegatorCount') },
      }
    })
  },
}

export const networkStateWorker: EnrichmentWorker = {
  name: 'network_state_worker',
  description: 'Current epoch, stake, supply and staking table',
  tables: [state, nodes],
}
