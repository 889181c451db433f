import type { DecodedTransaction } from '../decoded-block.ts'
import { coreContracts } from '../core-contracts.ts'
import type { PayloadFields } from '../payload-value.ts'
import { ufix64Text } from '../tokens/ufix64.ts'
import type { Bucket } from './read-staking.ts'

/**
 * Model of FlowIDTableStaking for tests: state of nodes and delegators, and the events of each
 * call. `1.0` is the current contract; `2021` emitted no events for unstaking requests and for
 * withdrawn commitments, and no vault uuids.
 */
export type Era = '1.0' | '2021'

/** Units of 10^-8 FLOW. */
export interface Staker {
  readonly nodeId: string
  /** 0: the node itself. */
  readonly delegatorId: number
  readonly held: Record<Bucket, bigint>
  readonly uuids: Readonly<Record<Bucket, bigint>>
  requested: bigint
  /** Whether an event has the requested amount. */
  isRequestKnown: boolean
  isPending: boolean
}

export const nodeMinimum = 500n
export const delegatorMinimum = 50n

const { staking, flowToken, fungibleToken } = coreContracts('emulator')
const account = `0x${staking}`
const user = '0x00000000000000a1'
const vaultOrder = {
  node: ['committed', undefined, 'staked', 'unstaking', 'unstaked', 'rewarded'],
  delegator: ['committed', 'staked', 'unstaking', 'rewarded', 'unstaked'],
} as const

export class StakingContract {
  readonly era: Era
  readonly stakers: Staker[] = []
  isAuction = true
  epoch = 0
  #uuid = 1000n
  #events: { readonly type: string; readonly fields: PayloadFields }[] = []

  constructor(era: Era) {
    this.era = era
  }

  get nodes(): readonly Staker[] {
    return this.stakers.filter(({ delegatorId }) => delegatorId === 0)
  }

  delegatorsOf(nodeId: string): readonly Staker[] {
    return this.stakers.filter((staker) => staker.nodeId === nodeId && staker.delegatorId > 0)
  }

  /** The transaction of all calls since the last one. */
  takeTransaction(index: number, template: DecodedTransaction, script = ''): DecodedTransaction {
    const events = this.#events.map((event, place) => ({ ...event, index: place }))
    this.#events = []
    return { ...template, index, script, events }
  }

  registerNode(nodeId: string, role: number, amount: bigint): void {
    if (!this.isAuction || amount < nodeMinimum || this.stakers.some((staker) => staker.nodeId === nodeId)) return
    const withdrawn = this.#withdrawnByUser(amount)
    const node = this.#newStaker(nodeId, 0)
    this.#emit('NewNodeCreated', { nodeID: nodeId, role: String(role), amountCommitted: text(0n) })
    this.#commitNew(node, amount, withdrawn)
  }

  registerDelegator(nodeId: string, amount: bigint): void {
    if (!this.isAuction || amount < delegatorMinimum || !this.nodes.some((node) => node.nodeId === nodeId)) return
    const withdrawn = this.#withdrawnByUser(amount)
    const delegatorId = this.delegatorsOf(nodeId).length + 1
    this.#emit('NewDelegatorCreated', { nodeID: nodeId, delegatorID: String(delegatorId) })
    this.#commitNew(this.#newStaker(nodeId, delegatorId), amount, withdrawn)
  }

  stakeNewTokens(staker: Staker, amount: bigint): void {
    if (this.isAuction) this.#commitNew(staker, amount, this.#withdrawnByUser(amount))
  }

  /**
   * Cancels a request first, which a delegator's event includes in the committed amount and a
   * node's does not.
   */
  stakeUnstakedTokens(staker: Staker, amount: bigint): void {
    const moved = amount - min(amount, staker.requested)
    if (!this.isAuction || moved > staker.held.unstaked) return
    // A node's event has the moved amount, not the cancelled one: the rest of the request is
    // unknown.
    const isHidden = staker.delegatorId === 0 && staker.requested > 0n && moved === 0n
    staker.requested -= amount - moved
    if (isHidden) staker.isRequestKnown = false
    else if (moved > 0n) staker.isRequestKnown = true
    this.#move(staker, 'unstaked', 'committed', moved)
    this.#emitFor(staker, 'TokensCommitted', staker.delegatorId === 0 ? moved : amount)
    staker.isPending = true
  }

  stakeRewardedTokens(staker: Staker, amount: bigint): void {
    if (!this.isAuction || amount > staker.held.rewarded) return
    this.#move(staker, 'rewarded', 'committed', amount)
    this.#emitFor(staker, 'TokensCommitted', amount)
    staker.isPending = true
  }

  requestUnstaking(staker: Staker, amount: bigint): void {
    const { committed, staked } = staker.held
    if (!this.isAuction || staked + committed < amount + staker.requested) return
    const fromCommitted = min(amount, committed)
    const isEmitted = this.era === '1.0'
    if (amount === fromCommitted || staker.delegatorId === 0 || fromCommitted > 0n) {
      this.#move(staker, 'committed', 'unstaked', fromCommitted)
    }
    if (amount > fromCommitted) {
      staker.requested += amount - fromCommitted
      staker.isPending = true
      staker.isRequestKnown = isEmitted
    }
    if (!isEmitted) return
    this.#emitFor(staker, 'TokensUnstaked', fromCommitted)
    if (amount > fromCommitted) this.#emitFor(staker, 'TokensRequestedToUnstake', staker.requested)
  }

  unstakeAll(node: Staker): void {
    if (!this.isAuction) return
    const { committed, staked } = node.held
    if (committed > 0n) {
      if (this.era === '1.0') this.#emitFor(node, 'TokensUnstaked', committed)
      this.#move(node, 'committed', 'unstaked', committed)
    }
    if (staked > 0n) {
      node.requested = staked
      node.isPending = true
      node.isRequestKnown = this.era === '1.0'
      if (node.isRequestKnown) this.#emitFor(node, 'TokensRequestedToUnstake', staked)
    }
  }

  withdraw(staker: Staker, bucket: 'unstaked' | 'rewarded', amount: bigint): void {
    if (amount > staker.held[bucket]) return
    this.#emitFor(staker, bucket === 'unstaked' ? 'UnstakedTokensWithdrawn' : 'RewardTokensWithdrawn', amount)
    const uuid = this.#take(staker, bucket, amount)
    this.#put(user, 7n, uuid, amount)
  }

  /** Called by the administrator for nodes that are no longer approved. */
  removeNode(node: Staker): void {
    const { committed, staked } = node.held
    this.#emitFor(node, 'NodeRemovedAndRefunded', committed + staked)
    this.#move(node, 'committed', 'unstaked', committed)
    if (staked > 0n || !this.isAuction) node.requested = staked
    node.isRequestKnown = true
    node.isPending = true
    for (const delegator of this.delegatorsOf(node.nodeId)) {
      if (delegator.held.committed > 0n) {
        this.#emitFor(delegator, 'TokensUnstaked', delegator.held.committed)
        this.#move(delegator, 'committed', 'unstaked', delegator.held.committed)
      }
      if (delegator.held.staked > 0n) {
        delegator.requested = delegator.held.staked
        delegator.isRequestKnown = true
        delegator.isPending = true
      }
    }
  }

  endAuction(): void {
    if (!this.isAuction) return
    for (const node of this.nodes) {
      const { committed, staked } = node.held
      if (node.isPending && committed + staked - node.requested < nodeMinimum) this.removeNode(node)
    }
    this.isAuction = false
  }

  payRewards(rewardOf: (staker: Staker) => bigint): void {
    const source = this.#nextUuid()
    for (const node of this.nodes.filter(({ held }) => held.staked > 0n)) {
      const all = [...this.delegatorsOf(node.nodeId).filter(({ held }) => held.staked > 0n), node]
      for (const staker of all) {
        const amount = rewardOf(staker)
        this.#put(account, staker.uuids.rewarded, this.#withdrawn(null, source, amount), amount)
        staker.held.rewarded += amount
        const epoch = this.era === '1.0' ? { epochCounter: String(this.epoch) } : {}
        this.#emitFor(staker, 'RewardsPaid', amount, epoch)
      }
    }
    const numbers = { total: text(9n), fromFees: text(1n), minted: text(8n), feesBurned: text(0n) }
    const epoch = this.era === '1.0' ? { epochCounterForRewards: String(this.epoch) } : {}
    this.#emit('EpochTotalRewardsPaid', { ...numbers, ...epoch })
  }

  setUpEpoch(): void {
    if (this.isAuction) return
    const reported = this.nodes.filter(({ held }) => held.committed + held.staked > 0n)
    for (const node of reported) node.isRequestKnown = true
    const nodeInfo = reported.map((node): PayloadFields => ({
      id: node.nodeId,
      role: '1',
      networkingAddress: `${node.nodeId}.example.org:3569`,
      initialWeight: '100',
      tokensStaked: text(node.held.staked),
      tokensCommitted: text(node.held.committed),
      tokensUnstaking: text(node.held.unstaking),
      tokensUnstaked: text(node.held.unstaked),
      tokensRewarded: text(node.held.rewarded),
      tokensRequestedToUnstake: text(node.requested),
      delegators: this.delegatorsOf(node.nodeId).map(({ delegatorId }) => String(delegatorId)),
    }))
    const type = `A.${staking}.FlowEpoch.EpochSetup`
    const views = { firstView: '0', finalView: '9' }
    this.#events.push({ type, fields: { counter: String(this.epoch + 1), nodeInfo, ...views } })
  }

  moveTokens(): void {
    if (this.isAuction) return
    for (const node of this.nodes) {
      const all = this.delegatorsOf(node.nodeId)
      if (!node.isPending && !all.some(({ isPending }) => isPending)) continue
      if (node.held.committed > 0n) {
        this.#emitFor(node, 'TokensStaked', node.held.committed)
        this.#move(node, 'committed', 'staked', node.held.committed)
      }
      this.#unstake(node)
      for (const delegator of all.filter(({ isPending }) => isPending)) {
        const { committed, staked } = delegator.held
        if (committed + staked - delegator.requested < delegatorMinimum) {
          this.#move(delegator, 'committed', 'unstaked', committed)
          delegator.requested = staked
        }
        if (delegator.held.committed > 0n) {
          this.#emitFor(delegator, 'TokensStaked', delegator.held.committed)
          this.#move(delegator, 'committed', 'staked', delegator.held.committed)
        }
        this.#unstake(delegator)
      }
    }
    this.epoch++
    this.isAuction = true
    const numbers = { totalStaked: text(1n), totalRewardPayout: text(9n) }
    const epoch = this.era === '1.0' ? { newEpochCounter: String(this.epoch) } : {}
    this.#emit('NewEpoch', { ...numbers, ...epoch })
  }

  #unstake(staker: Staker): void {
    const { unstaking } = staker.held
    if (unstaking > 0n) {
      this.#emitFor(staker, 'TokensUnstaked', unstaking)
      this.#move(staker, 'unstaking', 'unstaked', unstaking)
    }
    staker.isPending = staker.requested > 0n
    if (staker.requested > 0n) {
      this.#emitFor(staker, 'TokensUnstaking', staker.requested)
      this.#move(staker, 'staked', 'unstaking', staker.requested)
    }
    staker.requested = 0n
    staker.isRequestKnown = true
  }

  #newStaker(nodeId: string, delegatorId: number): Staker {
    const uuids: Partial<Record<Bucket, bigint>> = {}
    for (const bucket of delegatorId === 0 ? vaultOrder.node : vaultOrder.delegator) {
      const uuid = this.#nextUuid()
      if (bucket !== undefined) uuids[bucket] = uuid
    }
    const staker: Staker = {
      nodeId,
      delegatorId,
      held: { committed: 0n, staked: 0n, unstaking: 0n, unstaked: 0n, rewarded: 0n },
      uuids: uuids as Record<Bucket, bigint>,
      requested: 0n,
      isRequestKnown: true,
      isPending: false,
    }
    this.stakers.push(staker)
    return staker
  }

  #commitNew(staker: Staker, amount: bigint, withdrawn: bigint): void {
    this.#emitFor(staker, 'TokensCommitted', amount)
    this.#put(account, staker.uuids.committed, withdrawn, amount)
    staker.held.committed += amount
    staker.isPending = true
  }

  #move(staker: Staker, from: Bucket, to: Bucket, amount: bigint): void {
    const uuid = this.#take(staker, from, amount)
    this.#put(account, staker.uuids[to], uuid, amount)
    staker.held[to] += amount
  }

  #take(staker: Staker, bucket: Bucket, amount: bigint): bigint {
    staker.held[bucket] -= amount
    return this.#withdrawn(account, staker.uuids[bucket], amount)
  }

  #withdrawnByUser(amount: bigint): bigint {
    return this.#withdrawn(user, 7n, amount)
  }

  #withdrawn(from: string | null, fromUuid: bigint, amount: bigint): bigint {
    const uuid = this.#nextUuid()
    if (this.era === '2021') {
      this.#events.push({ type: `A.${flowToken}.FlowToken.TokensWithdrawn`, fields: { amount: text(amount), from } })
      return uuid
    }
    this.#events.push({
      type: `A.${fungibleToken}.FungibleToken.Withdrawn`,
      fields: {
        type: `A.${flowToken}.FlowToken.Vault`,
        amount: text(amount),
        from,
        fromUUID: String(fromUuid),
        withdrawnUUID: String(uuid),
        balanceAfter: text(0n),
      },
    })
    return uuid
  }

  #put(to: string, toUuid: bigint, uuid: bigint, amount: bigint): void {
    if (this.era === '2021') {
      this.#events.push({ type: `A.${flowToken}.FlowToken.TokensDeposited`, fields: { amount: text(amount), to } })
      return
    }
    this.#events.push({
      type: `A.${fungibleToken}.FungibleToken.Deposited`,
      fields: {
        type: `A.${flowToken}.FlowToken.Vault`,
        amount: text(amount),
        to,
        toUUID: String(toUuid),
        depositedUUID: String(uuid),
        balanceAfter: text(0n),
      },
    })
  }

  #emitFor({ nodeId, delegatorId }: Staker, name: string, amount: bigint, more: PayloadFields = {}): void {
    const isRequest = name === 'TokensRequestedToUnstake'
    const fields = { nodeID: nodeId, amount: text(amount), ...more }
    if (delegatorId === 0) this.#emit(isRequest ? `Node${name}` : name, fields)
    else this.#emit(`Delegator${name}`, { ...fields, delegatorID: String(delegatorId) })
  }

  #emit(name: string, fields: PayloadFields): void {
    this.#events.push({ type: `A.${staking}.FlowIDTableStaking.${name}`, fields })
  }

  #nextUuid(): bigint {
    return this.#uuid++
  }
}

function text(units: bigint): string {
  return ufix64Text(units)
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
