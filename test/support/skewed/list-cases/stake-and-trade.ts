import { skewed } from '../skewed-world.ts'
import type { ListCase, ListKeys } from '../list-case.ts'
import { caseOf, isWithinDays, someDays } from './cases-of.ts'
import type { Values } from './cases-of.ts'

const { node, pair, quietPair, token, whale, handlerOwner } = skewed
const eventOrder = ['-e.block_height', '-e.tx_index', '-e.event_index']
const eventCursor = "e.block_height || ':' || e.tx_index || ':' || e.event_index"

const stakingEvents = (where: string): ListKeys => ({
  cursor: eventCursor,
  from: `app.staking_events e where ${where}`,
  order: eventOrder,
})
const ofOwn = `(e.node_id, e.delegator_id) in (select node_id, delegator_id from app.staking_events where account = '${whale}')`
const isReward = "e.event_type in ('RewardsPaid', 'DelegatorRewardsPaid')"
const isStake = "e.event_type in ('TokensStaked', 'DelegatorTokensStaked')"

const staked = "n.tokens_staked || ':' || n.node_id"
const byStake = ['-n.tokens_staked', '-n.node_id']
const nodes = (values: Values, from: string): ListCase =>
  caseOf('/flow/node', values, { cursor: staked, from, order: byStake })
const delegators = (values: Values, where: string): ListCase =>
  caseOf('/staking/delegator', values, {
    cursor: `${staked} || ':' || n.delegator_id`,
    from: `app.staking_delegators n where ${where}`,
    order: [...byStake, '-n.delegator_id'],
  })
const epochs: ListKeys = { cursor: 'e.epoch', from: 'app.epoch_stats e', order: ['-e.epoch'] }

const trades = (values: Values, where: string): ListCase =>
  caseOf('/defi/events', values, {
    cursor: eventCursor,
    from: `app.defi_events e where ${where}`,
    order: eventOrder,
  })
const pairs = (values: Values, where: string): ListCase =>
  caseOf('/defi/pair', values, {
    cursor: "p.last_height || ':' || p.last_tx_index || ':' || p.last_event_index || ':' || p.pair",
    from: `app.defi_pairs p where ${where}`,
    order: ['-p.last_height', '-p.last_tx_index', '-p.last_event_index', '-p.pair'],
  })

const scheduled = (where: string): ListKeys => ({
  cursor: 's.scheduled_id',
  from: `app.scheduled_transactions s where ${where}`,
  order: ['-s.scheduled_id'],
})
const isOwned = `s.handler_owner = '${handlerOwner}'`

export const stakeAndTradeCases: readonly ListCase[] = [
  nodes({}, 'app.staking_nodes n'),
  nodes({ role: 2 }, 'app.staking_nodes n where n.role = 2'),
  nodes({ epoch: 20, role: 3 }, 'app.epoch_nodes n where n.epoch = 20 and n.role = 3'),
  caseOf(
    '/staking/epoch/{epoch}/nodes',
    { epoch: 20 },
    { cursor: staked, from: 'app.epoch_nodes n where n.epoch = 20', order: byStake },
  ),
  caseOf(
    '/staking/epoch/{epoch}/nodes',
    { epoch: 20, role: 3 },
    {
      cursor: staked,
      from: 'app.epoch_nodes n where n.epoch = 20 and n.role = 3',
      order: byStake,
    },
  ),
  caseOf(
    '/status/nodes',
    {},
    { cursor: staked, from: 'app.staking_nodes n', order: ['-n.tokens_staked', 'n.node_id'] },
  ),
  delegators({}, 'true'),
  delegators({ node_id: node }, `n.node_id = '${node}'`),
  caseOf('/staking/epoch/stats', {}, epochs),
  caseOf('/status/epoch/stat', {}, epochs),
  caseOf('/staking/rewards/paid', {}, stakingEvents(isReward)),
  caseOf('/staking/rewards/paid', { node_id: node }, stakingEvents(`${isReward} and e.node_id = '${node}'`)),
  caseOf('/staking/rewards/staking', {}, stakingEvents(isStake)),
  caseOf('/staking/rewards/staking', { node_id: node }, stakingEvents(`${isStake} and e.node_id = '${node}'`)),
  caseOf('/staking/node/{node_id}/event', { node_id: node }, stakingEvents(`e.node_id = '${node}'`)),
  caseOf('/staking/account/{address}/event', { address: whale }, stakingEvents(ofOwn)),
  caseOf('/flow/account/{address}/staking/activity', { address: whale }, stakingEvents(ofOwn)),
  caseOf(
    '/defi/asset',
    {},
    {
      cursor: 'a.token',
      from: '(select asset0 as token from app.defi_pairs union select asset1 from app.defi_pairs) as a',
      order: ['a.token'],
    },
  ),
  trades({ pair_id: pair, ...someDays }, `e.pair = '${pair}' and ${isWithinDays.replace('t.', 'e.')}`),
  pairs({}, 'true'),
  pairs({ dex: 'metapier' }, "p.dex = 'metapier'"),
  pairs({ pair_id: pair }, `p.pair = '${pair}'`),
  pairs({ asset: token }, `'${token}' in (p.asset0, p.asset1)`),
  pairs({ asset: token, dex: 'metapier' }, `'${token}' in (p.asset0, p.asset1) and p.dex = 'metapier'`),
  trades({}, 'true'),
  trades({ pair_id: pair }, `e.pair = '${pair}'`),
  trades({ pair_id: quietPair }, `e.pair = '${quietPair}'`),
  trades({ event_type: 'Swap' }, "e.event_type = 'Swap'"),
  trades({ event_type: 'AddLiquidity' }, "e.event_type = 'AddLiquidity'"),
  trades({ pair_id: pair, event_type: 'AddLiquidity' }, `e.pair = '${pair}' and e.event_type = 'AddLiquidity'`),
  trades({ pair_id: quietPair, event_type: 'Swap' }, `e.pair = '${quietPair}' and e.event_type = 'Swap'`),
  caseOf('/flow/scheduled-transaction', {}, scheduled('true')),
  caseOf('/flow/scheduled-transaction', { status: 'executed' }, scheduled("s.status = 'executed'")),
  caseOf('/flow/scheduled-transaction', { status: 'failed' }, scheduled("s.status = 'failed'")),
  caseOf('/flow/scheduled-transaction', { owner: handlerOwner }, scheduled(isOwned)),
  caseOf(
    '/flow/scheduled-transaction',
    { owner: handlerOwner, status: 'failed' },
    scheduled(`${isOwned} and s.status = 'failed'`),
  ),
  caseOf('/flow/scheduled-transaction', { handler: 1 }, scheduled('s.handler_uuid = 1')),
  caseOf(
    '/flow/scheduled-transaction',
    { handler: 1, status: 'scheduled' },
    scheduled("s.handler_uuid = 1 and s.status = 'scheduled'"),
  ),
  caseOf(
    '/flow/scheduled-transaction',
    { handler: 16, owner: handlerOwner },
    scheduled(`s.handler_uuid = 16 and ${isOwned}`),
  ),
  caseOf('/flow/account/{address}/scheduled-transaction', { address: handlerOwner }, scheduled(isOwned)),
  caseOf(
    '/flow/account/{address}/scheduled-transaction',
    { address: handlerOwner, status: 'executed' },
    scheduled(`${isOwned} and s.status = 'executed'`),
  ),
  caseOf(
    '/flow/scheduled-handler',
    {},
    {
      cursor: 's.handler_uuid',
      from: '(select distinct handler_uuid from app.scheduled_transactions) as s',
      order: ['-s.handler_uuid'],
    },
  ),
]
