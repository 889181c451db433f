import type { DraftEvent } from '../events/draft.ts'
import { deposited, flowMinted, vaultOf, withdrawn } from '../events/token-events.ts'
import type { VaultRef } from '../events/token-events.ts'
import type { StatePart } from '../world/cycle.ts'
import type { Account } from '../world/account.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import { bucketUuid, buckets, networkingAddress, nodeIdOf, roleOf, stakers } from './stakers.ts'
import type { Bucket, Staker } from './stakers.ts'
import { delegatorShapes, nodeShapes, stakingShapes } from './staking-events.ts'
import type { AmountEvent } from './staking-events.ts'

/** Both methods return the balance after. */
interface Purse {
  withdraw(account: Account, amount: bigint): bigint
  deposit(account: Account, amount: bigint): bigint
}

export interface StakingContext {
  readonly purse: Purse
  readonly events: DraftEvent[]
  newUuid(): number
}

/** In units of 10^-8 FLOW. */
export interface Stake extends Record<Bucket, bigint> {
  /** The part of `staked` to be unstaked at the end of the epoch. */
  requested: bigint
}

export interface StakingContent {
  /** In the order of registration. */
  readonly stakes: readonly Readonly<Stake>[]
  readonly addressChanges: readonly number[]
  /** FLOW minted for rewards, in units of 10^-8. */
  readonly minted: bigint
}

/** Percent. */
const delegatorCut = 8n

/** In units of 10^-8 FLOW; the other rewards are minted. */
const feesPerEpoch = 100_000n

/**
 * Emits events in the order of the contract. Source: onflow/flow-core-contracts
 * `contracts/FlowIDTableStaking.cdc`.
 */
export class StakingTable implements StatePart {
  readonly #stakes: Stake[]
  readonly #addressChanges: number[]
  readonly #touched = new Set<number>()
  #minted: bigint
  /** Permanent turns of this cycle. */
  turns = 0

  constructor({ stakes, addressChanges, minted }: StakingContent) {
    this.#stakes = stakes.map((stake) => ({ ...stake }))
    this.#addressChanges = [...addressChanges]
    this.#minted = minted
  }

  get content(): StakingContent {
    return {
      stakes: this.#stakes.map((stake) => ({ ...stake })),
      addressChanges: [...this.#addressChanges],
      minted: this.#minted,
    }
  }

  /** FLOW minted for rewards, in units of 10^-8. */
  get minted(): bigint {
    return this.#minted
  }

  get registered(): readonly Staker[] {
    return stakers.slice(0, this.#stakes.length)
  }

  get nodes(): readonly Staker[] {
    return this.registered.filter(({ delegatorId }) => delegatorId === 0)
  }

  delegatorsOf(node: number): readonly Staker[] {
    return this.registered.filter((staker) => staker.node === node && staker.delegatorId > 0)
  }

  /** @throws RangeError for an unregistered staker */
  of(staker: Staker): Readonly<Stake> {
    const stake = this.#stakes[staker.index]
    if (stake === undefined) throw new RangeError(`Unregistered staker: ${staker.index}`)
    return stake
  }

  addressOf(node: number): string {
    return networkingAddress(node, this.#addressChanges[node] ?? 0)
  }

  /** @param role includes delegators; default: all */
  totalStaked(role?: number): bigint {
    const counted = this.registered.filter(({ node }) => role === undefined || roleOf(node) === role)
    return counted.reduce((total, staker) => total + this.of(staker).staked, 0n)
  }

  register(context: StakingContext): void {
    const staker = stakers[this.#stakes.length]
    if (staker === undefined) throw new RangeError('All are registered')
    const moved = this.#outOfPurse(context, staker)
    this.#stakes.push({ committed: 0n, staked: 0n, unstaking: 0n, unstaked: 0n, rewarded: 0n, requested: 0n })
    const nodeId = nodeIdOf(staker.node)
    context.events.push(
      staker.delegatorId === 0
        ? { shape: stakingShapes.newNode, values: [nodeId, roleOf(staker.node), 0n] }
        : { shape: stakingShapes.newDelegator, values: [nodeId, staker.delegatorId] },
    )
    this.#emit(context, staker, 'TokensCommitted', staker.firstAmount)
    this.#put(context, staker, 'committed', staker.firstAmount, moved)
  }

  changeAddress(context: StakingContext, node: number): void {
    this.#addressChanges[node] = (this.#addressChanges[node] ?? 0) + 1
    context.events.push({ shape: stakingShapes.addressUpdated, values: [nodeIdOf(node), this.addressOf(node)] })
  }

  commitNew(context: StakingContext, staker: Staker, amount: bigint): void {
    const moved = this.#outOfPurse(context, staker, amount)
    this.#emit(context, staker, 'TokensCommitted', amount)
    this.#put(context, staker, 'committed', amount, moved)
  }

  commit(context: StakingContext, staker: Staker, from: 'unstaked' | 'rewarded', amount: bigint): void {
    this.#move(context, staker, from, 'committed', amount)
    this.#emit(context, staker, 'TokensCommitted', amount)
  }

  /** Committed tokens return at once, staked ones after two epochs. */
  requestUnstaking(context: StakingContext, staker: Staker, amount: bigint): void {
    const { committed, requested } = this.of(staker)
    const now = amount < committed ? amount : committed
    // The contract moves an amount of 0 for a node, but not for a delegator.
    if (now > 0n || staker.delegatorId === 0) this.#move(context, staker, 'committed', 'unstaked', now)
    this.#emit(context, staker, 'TokensUnstaked', now)
    if (amount === now) return
    this.#change(staker, 'requested', amount - now)
    this.#emit(context, staker, 'TokensRequestedToUnstake', requested + amount - now)
  }

  withdraw(context: StakingContext, staker: Staker, bucket: 'unstaked' | 'rewarded', amount: bigint): void {
    this.#emit(context, staker, bucket === 'unstaked' ? 'UnstakedTokensWithdrawn' : 'RewardTokensWithdrawn', amount)
    const movedUuid = this.#take(context, staker, bucket, amount)
    const { owner } = staker
    context.events.push(...deposited(vaultOf(flow, owner), amount, movedUuid, context.purse.deposit(owner, amount)))
  }

  /** @param rewardOf reward by staked amount */
  payRewards(context: StakingContext, epoch: number, rewardOf: (staked: bigint) => bigint): void {
    const paid = this.#rewards(rewardOf)
    const total = paid.reduce((sum, { amount }) => sum + amount, 0n)
    const fromFees = total < feesPerEpoch ? total : feesPerEpoch
    const minted = total - fromFees
    if (total > 0n) this.#payOut(context, epoch, paid, fromFees, minted)
    context.events.push({ shape: stakingShapes.totalRewards, values: [total, fromFees, minted, 0n, epoch] })
    this.#minted += minted
  }

  /** Stakes committed tokens, unstakes requested ones. */
  moveTokens(context: StakingContext): void {
    for (const node of this.nodes) {
      const pending = [node, ...this.delegatorsOf(node.node)].filter((staker) => isPending(this.of(staker)))
      if (pending.length === 0) continue
      // The contract also stakes the committed tokens of a node whose delegators alone are pending.
      for (const staker of pending.includes(node) ? pending : [node, ...pending]) this.#endEpoch(context, staker)
    }
  }

  *touched(): Generator<string> {
    for (const index of this.#touched) yield String(index)
  }

  read(key: string): string {
    const stake = this.#stakes[Number(key)]
    return stake === undefined ? '-' : [...buckets.map((bucket) => stake[bucket]), stake.requested].join(' ')
  }

  #endEpoch(context: StakingContext, staker: Staker): void {
    const { committed, unstaking, requested } = this.of(staker)
    if (committed > 0n || staker.delegatorId === 0) {
      this.#emit(context, staker, 'TokensStaked', committed)
      this.#move(context, staker, 'committed', 'staked', committed)
    }
    if (unstaking > 0n) {
      this.#emit(context, staker, 'TokensUnstaked', unstaking)
      this.#move(context, staker, 'unstaking', 'unstaked', unstaking)
    }
    if (requested > 0n) {
      this.#emit(context, staker, 'TokensUnstaking', requested)
      this.#move(context, staker, 'staked', 'unstaking', requested)
      this.#change(staker, 'requested', -requested)
    }
  }

  /** A node first, then its delegators. */
  #rewards(rewardOf: (staked: bigint) => bigint): readonly { readonly staker: Staker; readonly amount: bigint }[] {
    return this.nodes
      .filter((node) => this.of(node).staked > 0n)
      .flatMap((node) => {
        const delegators = this.delegatorsOf(node.node)
          .filter((staker) => this.of(staker).staked > 0n)
          .map((staker) => {
            const earned = rewardOf(this.of(staker).staked)
            return { staker, amount: earned - (earned * delegatorCut) / 100n, cut: (earned * delegatorCut) / 100n }
          })
        const cuts = delegators.reduce((sum, { cut }) => sum + cut, 0n)
        return [{ staker: node, amount: rewardOf(this.of(node).staked) + cuts }, ...delegators]
      })
  }

  #payOut(
    context: StakingContext,
    epoch: number,
    paid: readonly { readonly staker: Staker; readonly amount: bigint }[],
    fromFees: bigint,
    minted: bigint,
  ): void {
    const { events, purse } = context
    const { flowFees } = systemAccounts
    const rewards = context.newUuid()
    const mintedUuid = context.newUuid()
    let left = fromFees + minted
    const rewardsVault = { token: flow, account: undefined, uuid: rewards }
    events.push(
      ...withdrawn(vaultOf(flow, flowFees), fromFees, rewards, purse.withdraw(flowFees, fromFees)),
      { shape: stakingShapes.feesTaken, values: [fromFees] },
      flowMinted(minted),
      ...deposited(rewardsVault, minted, mintedUuid, left),
    )
    const amounts = new Map(paid.map(({ staker, amount }) => [staker, amount]))
    for (const node of paid.map(({ staker }) => staker).filter(({ delegatorId }) => delegatorId === 0)) {
      for (const staker of [node, ...this.delegatorsOf(node.node)]) {
        const amount = amounts.get(staker)
        if (amount === undefined) continue
        left -= amount
        const movedUuid = context.newUuid()
        events.push(...withdrawn(rewardsVault, amount, movedUuid, left))
        this.#put(context, staker, 'rewarded', amount, movedUuid)
        if (staker !== node) this.#emit(context, staker, 'RewardsPaid', amount, epoch)
      }
      this.#emit(context, node, 'RewardsPaid', amounts.get(node) ?? 0n, epoch)
    }
  }

  #outOfPurse(context: StakingContext, { owner, firstAmount }: Staker, amount = firstAmount): number {
    const movedUuid = context.newUuid()
    context.events.push(...withdrawn(vaultOf(flow, owner), amount, movedUuid, context.purse.withdraw(owner, amount)))
    return movedUuid
  }

  #move(context: StakingContext, staker: Staker, from: Bucket, to: Bucket, amount: bigint): void {
    this.#put(context, staker, to, amount, this.#take(context, staker, from, amount))
  }

  #take(context: StakingContext, staker: Staker, bucket: Bucket, amount: bigint): number {
    const movedUuid = context.newUuid()
    context.events.push(
      ...withdrawn(bucketOf(staker, bucket), amount, movedUuid, this.#change(staker, bucket, -amount)),
    )
    return movedUuid
  }

  #put(context: StakingContext, staker: Staker, bucket: Bucket, amount: bigint, movedUuid: number): void {
    context.events.push(...deposited(bucketOf(staker, bucket), amount, movedUuid, this.#change(staker, bucket, amount)))
  }

  #change(staker: Staker, what: Bucket | 'requested', by: bigint): bigint {
    const stake = this.#stakes[staker.index]
    const after = (stake?.[what] ?? 0n) + by
    if (stake === undefined || after < 0n) throw new RangeError(`Staker ${staker.index} lacks ${-after} of ${what}`)
    this.#touched.add(staker.index)
    stake[what] = after
    return after
  }

  #emit(
    context: StakingContext,
    { node, delegatorId }: Staker,
    name: AmountEvent,
    amount: bigint,
    epoch?: number,
  ): void {
    const counter = epoch === undefined ? [] : [epoch]
    context.events.push(
      delegatorId === 0
        ? { shape: nodeShapes[name], values: [nodeIdOf(node), amount, ...counter] }
        : { shape: delegatorShapes[name], values: [nodeIdOf(node), delegatorId, amount, ...counter] },
    )
  }
}

function bucketOf(staker: Staker, bucket: Bucket): VaultRef {
  return { token: flow, account: systemAccounts.service, uuid: bucketUuid(staker, bucket) }
}

function isPending({ committed, unstaking, requested }: Stake): boolean {
  return committed > 0n || unstaking > 0n || requested > 0n
}
