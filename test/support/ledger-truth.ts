import type { Pool } from 'pg'
import { addressBytes } from '../../src/chain/address.ts'
import { tokenId } from '../../src/chain/tokens/token-id.ts'
import { ufix64Text } from '../../src/chain/tokens/ufix64.ts'
import type { LedgerChain } from '../../src/simnode/ledger/ledger-chain.ts'
import type { DraftEvent } from '../../src/simnode/ledger/draft.ts'
import { bucketUuid, buckets, nodeIdOf, roleOf } from '../../src/simnode/ledger/staking/stakers.ts'
import type { LedgerState } from '../../src/simnode/ledger/state/ledger-state.ts'
import { accountOfAddress } from '../../src/simnode/ledger/world/account.ts'
import { systemAccounts, tokens, vaultUuid } from '../../src/simnode/ledger/world/tokens.ts'

/** What our tables should hold after a height of the simulated chain, and what they hold: lines, sorted. */
export interface LedgerComparison {
  readonly expected: readonly string[]
  readonly found: readonly string[]
}

/** Compares one domain, after the blocks from 0 to `height` of a chain were derived. */
export type CompareDomain = (pool: Pool, chain: LedgerChain, height: number) => Promise<LedgerComparison>

/** Each vault that an event names, with what is in it now. */
export const compareVaults: CompareDomain = async (pool, chain, height) => {
  const state = chain.stateAt(height)
  const inTable = stakingVaults(state)
  const expected = new Set<string>()
  for (const { shape, values } of eventsTo(chain, height)) {
    if (!/\.FungibleToken\.(Withdrawn|Deposited)$/.test(shape.id)) continue
    const [type, , owner, uuid] = values as [string, bigint, Buffer | null, number]
    if (owner !== null) expected.add(vaultLine(state, inTable, type, owner, uuid))
  }
  const { rows } = await pool.query<{ line: string }>(`
    select line from (
      select distinct on (vault_uuid, token) owner, token || ' ' || vault_uuid || ' of 0x' || encode(owner, 'hex') || ': ' || balance as line
      from app.ft_vault_balances order by vault_uuid, token, block_height desc
    ) as latest where length(owner) > 0`)
  return { expected: [...expected].toSorted(), found: rows.map(({ line }) => line).toSorted() }
}

/** All that accounts have of each token. */
export const compareHoldings: CompareDomain = async (pool, chain, height) => {
  const state = chain.stateAt(height)
  const inTable = [...stakingVaults(state).values()].reduce((sum, amount) => sum + amount, 0n)
  const { rows } = await pool.query<{ address: string; token: string; balance: string; is_complete: boolean }>(
    'select address, token, balance::text, is_complete from app.ft_holdings')
  const expected = rows.map(({ address, token }) => {
    const account = accountOfAddress(addressBytes(address))
    const kind = tokens.find(({ vaultType }) => tokenId(vaultType) === token)
    if (account === undefined || kind === undefined) return `${address} has no ${token}`
    const ofContract = kind.index === 0 && account === systemAccounts.service ? inTable : 0n
    // The service account keeps the staking table's vaults beside its own, which moves with the first scheduled transaction.
    return `${address} ${token} ${ufix64Text(state.vaults.balance(kind, account) + ofContract)} true`
  })
  return { expected: expected.toSorted(), found: rows.map((row) => `${row.address} ${row.token} ${row.balance} ${row.is_complete}`).toSorted() }
}

/** What is staked, by whom. */
export const compareStaking: CompareDomain = async (pool, chain, height) => {
  const { staking } = chain.stateAt(height)
  const located = nodesWithAddress(chain, height)
  const expected = staking.registered.map((staker) => {
    const { committed, staked, unstaking, unstaked, rewarded, requested } = staking.of(staker)
    const amounts = [committed, staked, unstaking, unstaked, rewarded, requested].map((amount) => ufix64Text(amount))
    const delegators = staking.delegatorsOf(staker.node).length
    const nodeId = nodeIdOf(staker.node)
    const address = located.has(nodeId) ? ` ${staking.addressOf(staker.node)}` : ''
    const node = staker.delegatorId === 0 ? ` ${roleOf(staker.node)}${address} ${delegators}` : ''
    return `${nodeId} ${staker.delegatorId} ${amounts.join(' ')}${node}`
  })
  const amounts = `concat_ws(' ', tokens_committed, tokens_staked, tokens_unstaking, tokens_unstaked, tokens_rewarded, coalesce(tokens_requested_to_unstake::text, '?'))`
  const { rows } = await pool.query<{ line: string }>(`
    select concat_ws(' ', node_id, 0, ${amounts}, role, networking_address, delegator_count) as line from app.staking_nodes
    union all select concat_ws(' ', node_id, delegator_id, ${amounts}) from app.staking_delegators`)
  return { expected: expected.toSorted(), found: rows.map(({ line }) => line).toSorted() }
}

/** Where scheduled transactions stand. */
export const compareScheduled: CompareDomain = async (pool, chain, height) => {
  const ends = new Map<number, string>()
  for (let at = 0; at <= height; at++) {
    const { userTransactions, systemTransactions } = chain.draft(at)
    for (const { events, error, arguments: [id] } of [...userTransactions, ...systemTransactions]) {
      if (error !== undefined && id?.type === 'UInt64') ends.set(Number(id.value), 'failed')
      for (const { shape, values } of events) {
        const [, name] = /\.FlowTransactionScheduler\.(Scheduled|PendingExecution|Executed|Canceled)$/.exec(shape.id) ?? []
        if (name !== undefined) ends.set(Number(values[0]), name === 'PendingExecution' ? 'pending' : name.toLowerCase())
      }
    }
  }
  const { schedule } = chain.stateAt(height)
  const expected = [...ends].map(([id, end]) => `${id} ${end} ${schedule.isPending(id)}`)
  const { rows } = await pool.query<{ line: string }>(
    `select scheduled_id || ' ' || status || ' ' || (ended_height is null)::text as line from app.scheduled_transactions`)
  return { expected: expected.toSorted(), found: rows.map(({ line }) => line).toSorted() }
}

/** All events of the blocks from 0 to `height`. */
export function* eventsTo(chain: LedgerChain, height: number): Generator<DraftEvent> {
  for (let at = 0; at <= height; at++) {
    const { userTransactions, systemTransactions } = chain.draft(at)
    for (const { events } of [...userTransactions, ...systemTransactions]) yield* events
  }
}

/** Nodes of which an event has told where they are reached: none does when they register. */
function nodesWithAddress(chain: LedgerChain, height: number): ReadonlySet<string> {
  const told = new Set<string>()
  for (const { shape, values } of eventsTo(chain, height)) {
    if (shape.id.endsWith('.FlowIDTableStaking.NetworkingAddressUpdated')) told.add(values[0] as string)
    if (shape.id.endsWith('.FlowEpoch.EpochSetup')) for (const [nodeId] of values[1] as [string][]) told.add(nodeId)
  }
  return told
}

/** By uuid: the vaults that the staking table keeps. */
function stakingVaults({ staking }: LedgerState): Map<number, bigint> {
  return new Map(staking.registered.flatMap((staker) =>
    buckets.map((bucket) => [bucketUuid(staker, bucket), staking.of(staker)[bucket]] as const)))
}

function vaultLine(state: LedgerState, inTable: ReadonlyMap<number, bigint>, type: string, owner: Buffer, uuid: number): string {
  const place = `${tokenId(type)} ${uuid} of 0x${owner.toString('hex')}`
  const account = accountOfAddress(owner)
  const token = tokens.find(({ vaultType }) => vaultType === type)
  if (account === undefined || token === undefined) return `${place}: nobody's`
  const isOwn = uuid === vaultUuid(token, account)
  const balance = isOwn ? state.vaults.balance(token, account) : inTable.get(uuid)
  return `${place}: ${balance === undefined ? 'no such vault' : ufix64Text(balance)}`
}
