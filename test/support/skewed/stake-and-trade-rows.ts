import { timeOf } from './chain-rows.ts'
import { accountAt, uniformRandom, isRare, skewed, skewedNumber } from './skewed-world.ts'
import type { SkewedWorld } from './skewed-world.ts'

/** Exchange events, in one of eight blocks. @param blocks a set `n` of block numbers, as SQL */
export function tradeRows(blocks: string, world: SkewedWorld): string {
  return `
    insert into app.defi_events (block_height, tx_index, event_index, pair, event_type, maker, asset0, asset1, asset0_in, asset1_out, price, day)
    select n * ${world.spacing}, 0, 70,
      case when ${isRare(world)} then '${skewed.quietPair}' when ${uniformRandom('n', 61)} < 0.5 then '${skewed.pair}'
        else ${pairAt(skewedNumber(world.pairs, 'n', 62))} end,
      case when n % 400 = 1 then 'AddLiquidity' else 'Swap' end, null, '${skewed.token}', 'A.00000000000000e1.Rare', 1, 2, 2, '2025-01-01'
    from ${blocks} as n where n % 8 = 1 or ${isRare(world)}`
}

function pairAt(number: string): string {
  return `('A.' || lpad(to_hex(65536 + ${number}), 16, '0') || '.SwapPair')`
}

/** Pairs, nodes, delegators, epochs, rewards and scheduled transactions. */
export function stakeRows(world: SkewedWorld): string {
  const { blocks, spacing, pairs, nodes, delegators, epochs, scheduled, highest } = world
  const nodeAt = (number: string): string =>
    `case when ${number} = 0 then '${skewed.node}' else lpad(to_hex(${number}), 64, '0') end`
  const epochBlocks = Math.floor(blocks / epochs)
  const epochHeight = `((e - 1) * ${epochBlocks * spacing})`
  return `
    insert into app.defi_pairs (pair, dex, address, asset0, asset1, price, last_height, last_tx_index, last_event_index)
    select ${pairAt('i')}, case when i % 10 = 9 then 'metapier' else 'incrementfi' end, '0x0000000000000001', '${skewed.token}',
      'A.' || lpad(to_hex(65536 + i), 16, '0') || '.Coin', 1, i * ${Math.floor(blocks / pairs)} * ${spacing}, 0, 70
    from generate_series(0, ${pairs - 1}) as i;
    insert into app.epoch_stats (
      epoch, start_height, start_time, end_height, end_time, setup_height, setup_tx_index, setup_event_index, total_staked, payout_total
    )
    select e, ${epochHeight}, ${timeOf(epochHeight)}, case when e < ${epochs} then ${epochHeight} + ${epochBlocks * spacing} - 1 end,
      case when e < ${epochs} then ${timeOf(`(${epochHeight} + ${epochBlocks * spacing})`)} end, ${epochHeight}, 0, 1, 5, 5
    from generate_series(1, ${epochs}) as e;
    insert into app.epoch_nodes
    select ${epochHeight}, 0, 1, ${nodeAt('n')}, e, n % 5 + 1, 'a.org:1', 100, 0, 1000 + n / 10, 0, 0, 0, 0, 0
    from generate_series(1, ${epochs}) as e, generate_series(0, ${nodes - 1}) as n;
    insert into app.staking_nodes (
      node_id, epoch, role, tokens_committed, tokens_staked, tokens_unstaking, tokens_unstaked, tokens_rewarded, delegator_count,
      created_height, created_tx_index, last_height, is_complete
    )
    select ${nodeAt('n')}, ${epochs}, n % 5 + 1, 0, 1000 + n / 10, 0, 0, 0, 10, 0, 0, ${highest}, true from generate_series(0, ${nodes - 1}) as n;
    insert into app.staking_delegators (
      node_id, delegator_id, tokens_committed, tokens_staked, tokens_unstaking, tokens_unstaked, tokens_rewarded, last_height, is_complete
    )
    select case when i % 2 = 0 then '${skewed.node}' else ${nodeAt(`(i % ${nodes})`)} end, i, 0, 1000 / (i + 1), 0, 0, 0, ${highest}, true
    from generate_series(1, ${delegators}) as i;
    insert into app.staking_events (block_height, tx_index, event_index, event_type, node_id, delegator_id, to_bucket, amount, epoch)
    select ${epochHeight}, 0, 100 + i, case when i % 4 = 0 then 'RewardsPaid' else 'DelegatorRewardsPaid' end,
      case when i % 2 = 0 then '${skewed.node}' else ${nodeAt(`(i % ${nodes})`)} end, case when i % 4 = 0 then 0 else i end, 'rewarded', 1, e
    from generate_series(1, ${epochs}) as e, generate_series(1, ${Math.floor(delegators / 10)}) as i;
    insert into app.staking_events (block_height, tx_index, event_index, event_type, node_id, delegator_id, to_bucket, amount)
    select n * ${spacing}, 0, 80, case when n % 400 = 2 then 'TokensStaked' else 'DelegatorTokensCommitted' end,
      case when n % 3 = 0 then '${skewed.node}' else ${nodeAt(`(n % ${nodes})`)} end, n % 1000, 'staked', 1
    from generate_series(2, ${blocks - 1}, 40) as n;
    insert into app.staking_events (block_height, tx_index, event_index, event_type, node_id, delegator_id, account)
    select ${spacing}, 0, 500 + i, 'NewDelegatorCreated', '${skewed.node}', i, case when i < 10 then '${skewed.whale}' else ${accountAt('i')} end
    from generate_series(1, ${Math.min(1000, delegators)}) as i;
    insert into app.scheduled_transactions (
      scheduled_id, status, priority, due_at, execution_effort, fees, handler_owner, handler_type, handler_uuid, scheduled_height,
      scheduled_tx_index, ended_height, ended_tx_index
    )
    select i, case when i % 100 = 0 then 'failed' when i > ${scheduled - 10} then 'scheduled' else 'executed' end, 1,
      ${timeOf(`(i * ${Math.floor(blocks / (scheduled + 1)) * spacing})`)}, 500, 1,
      case when i % 3 = 0 then ${accountAt('(i % 100)')} else '${skewed.handlerOwner}' end, 'A.1.Alarm.Job',
      case when i % 3 = 0 then i % 1000 + 10 else 1 end, i * ${Math.floor(blocks / (scheduled + 1)) * spacing}, 0,
      i * ${Math.floor(blocks / (scheduled + 1)) * spacing}, 0
    from generate_series(1, ${scheduled}) as i`
}
