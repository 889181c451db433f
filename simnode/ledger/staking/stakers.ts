import { hash } from 'node:crypto'
import { accountAt } from '../world/account.ts'
import type { Account } from '../world/account.ts'

export const buckets = ['committed', 'staked', 'unstaking', 'unstaked', 'rewarded'] as const
export type Bucket = (typeof buckets)[number]

/** Each cycle adds a node or a delegator. */
export const nodeCount = 24
const delegatorsPerNode = 2
export const stakerCount = nodeCount * (1 + delegatorsPerNode)

export interface Staker {
  readonly index: number
  readonly node: number
  /** From 1; 0 for the node itself. */
  readonly delegatorId: number
  readonly owner: Account
  /** In units of 10^-8 FLOW. */
  readonly firstAmount: bigint
}

/** Above the minimum, for the unstaking of the first node and delegator. */
const spare = 100_00000000n

const flow = (amount: number): bigint => BigInt(amount) * 1_0000_0000n

/** By role, in units of 10^-8 FLOW. */
export const minimumStake: ReadonlyMap<number, bigint> = new Map([
  [1, flow(250_000)],
  [2, flow(500_000)],
  [3, flow(1_250_000)],
  [4, flow(135_000)],
  [5, flow(100)],
])

const roles = [1, 2, 3, 4, 5, 2, 4, 1] as const

/** 1 collection, 2 consensus, 3 execution, 4 verification, 5 access. */
export function roleOf(node: number): number {
  return roles[node % roles.length] ?? 5
}

const ids = Array.from({ length: nodeCount }, (_, node) => hash('sha3-256', `node ${node}`, 'hex'))

/** 64 hex digits. */
export function nodeIdOf(node: number): string {
  return ids[node] ?? ''
}

const byId = new Map(ids.map((id, node) => [id, node]))

export function nodeOfId(id: string): number | undefined {
  return byId.get(id)
}

const firstOwner = 40

export const stakers: readonly Staker[] = Array.from({ length: stakerCount }, (_, index) => {
  const node = Math.floor(index / (1 + delegatorsPerNode))
  const delegatorId = index % (1 + delegatorsPerNode)
  const firstAmount =
    delegatorId === 0 ? (minimumStake.get(roleOf(node)) ?? 0n) + spare : flow(500 * delegatorId + node) + spare
  return { index, node, delegatorId, owner: accountAt(firstOwner + ((node + delegatorId) % nodeCount)), firstAmount }
})

/** In units of 10^-8 FLOW. */
export const ownerInitialBalance = flow(5_000_000)

export function isStakersOwner({ index }: Account): boolean {
  return index >= firstOwner && index < firstOwner + nodeCount
}

/** In the contract's order of creation. */
const offsets: Readonly<Record<'node' | 'delegator', Readonly<Record<Bucket, number>>>> = {
  node: { committed: 0, staked: 2, unstaking: 3, unstaked: 4, rewarded: 5 },
  delegator: { committed: 0, staked: 1, unstaking: 2, rewarded: 3, unstaked: 4 },
}

export function bucketUuid({ index, delegatorId }: Staker, bucket: Bucket): number {
  return 2 ** 49 + 2 ** 41 + index * 16 + offsets[delegatorId === 0 ? 'node' : 'delegator'][bucket]
}

/** @param changes of the address so far */
export function networkingAddress(node: number, changes: number): string {
  return `node-${nodeIdOf(node).slice(0, 8)}${changes === 0 ? '' : `-${changes}`}.example.org:3569`
}

/** No private key exists. */
export function publicKeyText(node: number, purpose: 'networking' | 'staking'): string {
  const first = hash('sha3-384', `${purpose} ${node}`, 'hex')
  return purpose === 'staking' ? first + hash('sha3-384', first, 'hex') : hash('sha3-512', first, 'hex')
}
