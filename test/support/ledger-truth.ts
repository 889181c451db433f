import type { ClientBase, Pool } from 'pg'
import { addressBytes } from '../../src/flow/address.ts'
import { tokenId } from '../../src/flow/tokens/token-id.ts'
import { ufix64Text } from '../../src/flow/tokens/ufix64.ts'
import type { DraftEvent } from '../../simnode/ledger/events/draft.ts'
import type { LedgerChain } from '../../simnode/ledger/ledger-chain.ts'
import { bucketUuid, buckets, nodeIdOf, roleOf } from '../../simnode/ledger/staking/stakers.ts'
import type { LedgerState } from '../../simnode/ledger/state/ledger-state.ts'
import { accountOfAddress } from '../../simnode/ledger/world/account.ts'
import type { Account } from '../../simnode/ledger/world/account.ts'
import { collections } from '../../simnode/ledger/world/collections.ts'
import { codeHash } from '../../simnode/ledger/world/deployed-contracts.ts'
import { systemAccounts, tokens, vaultUuid } from '../../simnode/ledger/world/tokens.ts'

/**
 * Expected and actual content of the tables after a height of the simulated chain, as sorted lines.
 */
export interface LedgerComparison {
  readonly expected: readonly string[]
  readonly found: readonly string[]
}

/**
 * Compares one domain, after the blocks to `height` were derived. @param from the first of them, by
 * default 0
 */
export type CompareDomain = (
  pool: ClientBase | Pool,
  chain: LedgerChain,
  height: number,
  from?: number,
) => Promise<LedgerComparison>

/** Each vault named by an event, with its current balance. */
export const compareVaults: CompareDomain = async (pool, chain, height, from = 0) => {
  const state = chain.stateAt(height)
  const inTable = stakingVaults(state)
  const expected = new Set<string>()
  for (const { shape, values } of eventsTo(chain, height, from)) {
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

/** Account balances by token. */
export const compareHoldings: CompareDomain = async (pool, chain, height) => {
  const state = chain.stateAt(height)
  const inTable = [...stakingVaults(state).values()].reduce((sum, amount) => sum + amount, 0n)
  const { rows } = await pool.query<{ address: string; token: string; balance: string; is_complete: boolean }>(
    'select address, token, balance::text, is_complete from app.ft_holdings',
  )
  const expected = rows.map(({ address, token }) => {
    const account = accountOfAddress(addressBytes(address))
    const kind = tokens.find(({ vaultType }) => tokenId(vaultType) === token)
    if (account === undefined || kind === undefined) return `${address} has no ${token}`
    const ofContract = kind.index === 0 && account === systemAccounts.service ? inTable : 0n
    // The service account also has the staking table's vaults, which move with the first scheduled
    // transaction.
    return `${address} ${token} ${ufix64Text(state.vaults.balance(kind, account) + ofContract)} true`
  })
  return {
    expected: expected.toSorted(),
    found: rows.map((row) => `${row.address} ${row.token} ${row.balance} ${row.is_complete}`).toSorted(),
  }
}

/** Stakes by staker. */
export const compareStaking: CompareDomain = async (pool, chain, height, from = 0) => {
  const { staking } = chain.stateAt(height)
  const located = nodesWithAddress(chain, height, from)
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

/** The states of scheduled transactions. */
export const compareScheduled: CompareDomain = async (pool, chain, height, from = 0) => {
  const ends = new Map<number, string>()
  for (let at = from; at <= height; at++) {
    const { userTransactions, systemTransactions } = chain.draft(at)
    for (const {
      events,
      error,
      arguments: [id],
    } of [...userTransactions, ...systemTransactions]) {
      if (error !== undefined && id?.type === 'UInt64') ends.set(Number(id.value), 'failed')
      for (const { shape, values } of events) {
        const [, name] =
          /\.FlowTransactionScheduler\.(Scheduled|PendingExecution|Executed|Canceled)$/.exec(shape.id) ?? []
        if (name !== undefined)
          ends.set(Number(values[0]), name === 'PendingExecution' ? 'pending' : name.toLowerCase())
      }
    }
  }
  const { schedule } = chain.stateAt(height)
  const expected = [...ends].map(([id, end]) => `${id} ${end} ${schedule.isPending(id)}`)
  const { rows } = await pool.query<{ line: string }>(
    `select scheduled_id || ' ' || status || ' ' || (ended_height is null)::text as line from app.scheduled_transactions`,
  )
  return { expected: expected.toSorted(), found: rows.map(({ line }) => line).toSorted() }
}

/** The owner of each item named by an event. */
export const compareItems: CompareDomain = async (pool, chain, height, from = 0) => {
  const { items } = chain.stateAt(height)
  const expected = new Set<string>()
  for (const { shape, values } of eventsTo(chain, height, from)) {
    if (!/\.NonFungibleToken\.(Withdrawn|Deposited)$/.test(shape.id)) continue
    const [type, id, uuid] = values as [string, number, number]
    const collection = collections.find(({ itemType }) => itemType === type)
    expected.add(
      `${tokenId(type)} ${id} ${uuid} ${collection === undefined ? 'nobody' : addressOf(items.owner(collection, id))}`,
    )
  }
  const { rows } = await pool.query<{ line: string }>(
    `select concat_ws(' ', token, nft_id, nft_uuid, owner, case when is_burned then 'burned' end) as line from app.nft_ownership`,
  )
  return { expected: [...expected].toSorted(), found: rows.map(({ line }) => line).toSorted() }
}

/** Added account keys, and whether they are revoked. */
export const compareKeys: CompareDomain = async (pool, chain, height, from = 0) => {
  const { accounts } = chain.stateAt(height)
  const expected = new Set<string>()
  for (const { shape, values } of eventsTo(chain, height, from)) {
    if (shape.id !== 'flow.AccountKeyAdded') continue
    const [address, , , , keyIndex] = values as [Buffer, unknown, unknown, unknown, number]
    const account = accountOfAddress(address)
    if (account === undefined) throw new RangeError(`unknown address ${address.toString('hex')}`)
    const key = accounts.keys(account)[keyIndex]
    expected.add(`${addressOf(account)} ${keyIndex} ${key?.publicKey.toString('hex')} ${key?.isRevoked}`)
  }
  const { rows } = await pool.query<{ line: string }>(
    `select concat_ws(' ', address, key_index, encode(public_key, 'hex'), is_revoked::text) as line from app.account_keys`,
  )
  return { expected: [...expected].toSorted(), found: rows.map(({ line }) => line).toSorted() }
}

/** Deployed contracts with the hash of their current code, and removed ones. */
export const compareContracts: CompareDomain = async (pool, chain, height, from = 0) => {
  const { contracts } = chain.stateAt(height)
  const expected = new Set<string>()
  for (const { shape, values } of eventsTo(chain, height, from)) {
    if (!shape.id.startsWith('flow.AccountContract')) continue
    const [address, , name] = values as [Buffer, Buffer, string]
    const account = accountOfAddress(address)
    const contract = account === undefined ? undefined : contracts.of(account).find((one) => one.name === name)
    expected.add(
      `0x${address.toString('hex')} ${name} ${contract === undefined ? 'removed' : codeHash(contract).toString('hex')}`,
    )
  }
  const { rows } = await pool.query<{ line: string }>(
    `select concat_ws(' ', address, name, case when is_removed then 'removed' else encode(code_hash, 'hex') end) as line from app.smart_contracts`,
  )
  return { expected: [...expected].toSorted(), found: rows.map(({ line }) => line).toSorted() }
}

/** Token balances of EVM addresses. */
export const compareEvmTokens: CompareDomain = async (pool, chain, height) => {
  const { evm } = chain.stateAt(height)
  const { rows } = await pool.query<{
    address: string
    token: string
    standard: number
    id: string | null
    balance: string
  }>(`
    select address, token, standard, null as id, balance::text from app.evm_token_holdings where standard = 20
    union all select address, token, standard, token_id::text, balance::text from app.evm_token_items`)
  const held = (address: string, token: string, standard: number, id: number): bigint => {
    if (standard === 20) return evm.tokens(token, address)
    return standard === 721 ? BigInt(evm.owner(token, id) === address) : evm.items(token, id, address)
  }
  const line = (of: (typeof rows)[number], balance: bigint | string): string =>
    `${of.token} ${of.standard} ${of.id ?? '-'} ${of.address} ${balance}`
  return {
    expected: rows.map((row) => line(row, held(row.address, row.token, row.standard, Number(row.id)))).toSorted(),
    found: rows.map((row) => line(row, row.balance)).toSorted(),
  }
}

/** All events of the blocks between two heights, both included. */
export function* eventsTo(chain: LedgerChain, height: number, from: number): Generator<DraftEvent> {
  for (let at = from; at <= height; at++) {
    const { userTransactions, systemTransactions } = chain.draft(at)
    for (const { events } of [...userTransactions, ...systemTransactions]) yield* events
  }
}

/** Nodes whose networking address an event has. The registration event lacks it. */
function nodesWithAddress(chain: LedgerChain, height: number, from: number): ReadonlySet<string> {
  const reported = new Set<string>()
  for (const { shape, values } of eventsTo(chain, height, from)) {
    if (shape.id.endsWith('.FlowIDTableStaking.NetworkingAddressUpdated')) reported.add(values[0] as string)
    if (shape.id.endsWith('.FlowEpoch.EpochSetup')) for (const [nodeId] of values[1] as [string][]) reported.add(nodeId)
  }
  return reported
}

function addressOf({ hex }: Account): string {
  return `0x${hex}`
}

/** The vaults of the staking table, by uuid. */
function stakingVaults({ staking }: LedgerState): Map<number, bigint> {
  return new Map(
    staking.registered.flatMap((staker) =>
      buckets.map((bucket) => [bucketUuid(staker, bucket), staking.of(staker)[bucket]] as const),
    ),
  )
}

function vaultLine(
  state: LedgerState,
  inTable: ReadonlyMap<number, bigint>,
  type: string,
  owner: Buffer,
  uuid: number,
): string {
  const place = `${tokenId(type)} ${uuid} of 0x${owner.toString('hex')}`
  const account = accountOfAddress(owner)
  const token = tokens.find(({ vaultType }) => vaultType === type)
  if (account === undefined || token === undefined) return `${place}: nobody's`
  const isOwn = uuid === vaultUuid(token, account)
  const balance = isOwn ? state.vaults.balance(token, account) : inTable.get(uuid)
  return `${place}: ${balance === undefined ? 'no such vault' : ufix64Text(balance)}`
}
