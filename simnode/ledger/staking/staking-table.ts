import type { DraftEvent } from '../events/draft.ts'
import { deposited, flowMinted, withdrawn } from '../events/token-events.ts'
import type { StatePart } from '../world/cycle.ts'
import type { Account } from '../world/account.ts'
import { flow, systemAccounts, vaultUuid } from '../world/tokens.ts'
import { bucketUuid, buckets, networkingAddress, nodeIdOf, roleOf, stakers } from './stakers.ts'
import type { Bucket, Staker } from './stakers.ts'
import { delegatorShapes, nodeShapes, stakingShapes } from './staking-events.ts'
import type { AmountEvent } from './staking-events.ts'

/** Where FLOW comes from and goes to that is not staked. Both tell the balance after. */
export interface Purse {
  withdraw(account: Account, amount: bigint): bigint
  deposit(account: Account, amount: bigint): bigint
}

/** What the table needs of the transaction in which it is called. */
export interface StakingContext {
  readonly purse: Purse
  /** What happened, in order. */
  readonly events: DraftEvent[]
  newUuid(): number
}

/** What a node or delegator has, in units of 10^-8 FLOW. */
export interface Stake extends Record<Bucket, bigint> {
  /** What of `staked` is to be unstaked when the epoch ends. */
  requested: bigint
}

/** All that the table holds. */
export interface StakingContent {
  /** By the order of registration. */
  readonly stakes: readonly Readonly<Stake>[]
  /** How often each node has told a new address. */
  readonly addressChanges: readonly number[]
  /** FLOW that was minted for rewards, in units of 10^-8. */
  readonly minted: bigint
}

/** A share of 8 % of what delegators earn goes to their node. */
const delegatorCut = 8n

/** What is paid out of fees in each epoch; the rest of the rewards is minted. In units of 10^-8 FLOW. */
const feesPerEpoch = 100_000n

/**
 * The staking table as FlowIDTableStaking keeps it: what nodes and delegators have, and the events of each call in the
 * order of the contract. Source: onflow/flow-core-contracts `contracts/FlowIDTableStaking.cdc`.
 */
export class StakingTable implements StatePart {
  readonly #stakes: Stake[]
  readonly #addressChanges: number[]
  readonly #touched = new Set<number>()
  #minted: bigint
  /** Lasting turns of this cycle so far. */
  turns = 0

  constructor({ stakes, addressChanges, minted }: StakingContent) {
    this.#stakes = stakes.map((stake) => ({ ...stake }))
    this.#addressChanges = [...addressChanges]
    this.#minted = minted
  }

  /** A copy. */
  get content(): StakingContent {
    return {
      stakes: this.#stakes.map((stake) => ({ ...stake })),
      addressChanges: [...this.#addressChanges],
      minted: this.#minted,
    }
  }

  /** FLOW that was minted for rewards, in units of 10^-8. */
  get minted(): bigint {
    return this.#minted
  }

  /** Nodes and delegators that are registered, in that order. */
  get registered(): readonly Staker[] {
    return stakers.slice(0, this.#stakes.length)
  }

  get nodes(): readonly Staker[] {
    return this.registered.filter(({ delegatorId }) => delegatorId === 0)
  }

  delegatorsOf(node: number): readonly Staker[] {
    return this.registered.filter((staker) => staker.node === node && staker.delegatorId > 0)
  }

  /** @throws RangeError for whoever is not registered */
  of(staker: Staker): Readonly<Stake> {
    const stake = this.#stakes[staker.index]
    if (stake === undefined) throw new RangeError(`Nobody is registered as ${staker.index}`)
    return stake
  }

  addressOf(node: number): string {
    return networkingAddress(node, this.#addressChanges[node] ?? 0)
  }

  /** Of nodes of a role and their delegators; of all without one. */
  totalStaked(role?: number): bigint {
    const counted = this.registered.filter(({ node }) => role === undefined || roleOf(node) === role)
    return counted.reduce((total, staker) => total + this.of(staker).staked, 0n)
  }

  /** The next one in the order of registration comes in, with its first amount. */
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
    this.#tell(context, staker, 'TokensCommitted', staker.firstAmount)
    this.#put(context, staker, 'committed', staker.firstAmount, moved)
  }

  changeAddress(context: StakingContext, node: number): void {
    this.#addressChanges[node] = (this.#addressChanges[node] ?? 0) + 1
    context.events.push({ shape: stakingShapes.addressUpdated, values: [nodeIdOf(node), this.addressOf(node)] })
  }

  /** Tokens of the owner. */
  commitNew(context: StakingContext, staker: Staker, amount: bigint): void {
    const moved = this.#outOfPurse(context, staker, amount)
    this.#tell(context, staker, 'TokensCommitted', amount)
    this.#put(context, staker, 'committed', amount, moved)
  }

  /** Tokens that are unstaked or earned. */
  commit(context: StakingContext, staker: Staker, from: 'unstaked' | 'rewarded', amount: bigint): void {
    this.#move(context, staker, from, 'committed', amount)
    this.#tell(context, staker, 'TokensCommitted', amount)
  }

  /** Committed tokens come back at once, staked ones when two epochs have ended. */
  requestUnstaking(context: StakingContext, staker: Staker, amount: bigint): void {
    const { committed, requested } = this.of(staker)
    const now = amount < committed ? amount : committed
    // A node's vaults are asked for nothing too, a delegator's are not.
    if (now > 0n || staker.delegatorId === 0) this.#move(context, staker, 'committed', 'unstaked', now)
    this.#tell(context, staker, 'TokensUnstaked', now)
    if (amount === now) return
    this.#change(staker, 'requested', amount - now)
    this.#tell(context, staker, 'TokensRequestedToUnstake', requested + amount - now)
  }

  withdraw(context: StakingContext, staker: Staker, bucket: 'unstaked' | 'rewarded', amount: bigint): void {
    this.#tell(context, staker, bucket === 'unstaked' ? 'UnstakedTokensWithdrawn' : 'RewardTokensWithdrawn', amount)
    const movedUuid = this.#take(context, staker, bucket, amount)
    const { owner } = staker
    context.events.push(
      ...deposited({
        token: flow,
        amount,
        account: owner,
        vaultUuid: vaultUuid(flow, owner),
        movedUuid,
        balanceAfter: context.purse.deposit(owner, amount),
      }),
    )
  }

  /**
   * Pays what was earned in an epoch: out of fees, and minted.
   * @param rewardOf what somebody earns with what it has staked
   */
  payRewards(context: StakingContext, epoch: number, rewardOf: (staked: bigint) => bigint): void {
    const paid = this.#rewards(rewardOf)
    const total = paid.reduce((sum, { amount }) => sum + amount, 0n)
    const fromFees = total < feesPerEpoch ? total : feesPerEpoch
    const minted = total - fromFees
    if (total > 0n) this.#payOut(context, epoch, paid, fromFees, minted)
    context.events.push({ shape: stakingShapes.totalRewards, values: [total, fromFees, minted, 0n, epoch] })
    this.#minted += minted
  }

  /** An epoch ends: what is committed is staked from now on, what was to be unstaked no more. */
  moveTokens(context: StakingContext): void {
    for (const node of this.nodes) {
      const pending = [node, ...this.delegatorsOf(node.node)].filter((staker) => isPending(this.of(staker)))
      if (pending.length === 0) continue
      // The contract stakes what a node has committed whoever of its delegators asks, be it nothing.
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
      this.#tell(context, staker, 'TokensStaked', committed)
      this.#move(context, staker, 'committed', 'staked', committed)
    }
    if (unstaking > 0n) {
      this.#tell(context, staker, 'TokensUnstaked', unstaking)
      this.#move(context, staker, 'unstaking', 'unstaked', unstaking)
    }
    if (requested > 0n) {
      this.#tell(context, staker, 'TokensUnstaking', requested)
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
    events.push(
      ...withdrawn({
        token: flow,
        amount: fromFees,
        account: flowFees,
        vaultUuid: vaultUuid(flow, flowFees),
        movedUuid: rewards,
        balanceAfter: purse.withdraw(flowFees, fromFees),
      }),
      { shape: stakingShapes.feesTaken, values: [fromFees] },
      flowMinted(minted),
      ...deposited({
        token: flow,
        amount: minted,
        account: undefined,
        vaultUuid: rewards,
        movedUuid: mintedUuid,
        balanceAfter: left,
      }),
    )
    const amounts = new Map(paid.map(({ staker, amount }) => [staker, amount]))
    for (const node of paid.map(({ staker }) => staker).filter(({ delegatorId }) => delegatorId === 0)) {
      for (const staker of [node, ...this.delegatorsOf(node.node)]) {
        const amount = amounts.get(staker)
        if (amount === undefined) continue
        left -= amount
        const movedUuid = context.newUuid()
        events.push(
          ...withdrawn({
            token: flow,
            amount,
            account: undefined,
            vaultUuid: rewards,
            movedUuid,
            balanceAfter: left,
          }),
        )
        this.#put(context, staker, 'rewarded', amount, movedUuid)
        if (staker !== node) this.#tell(context, staker, 'RewardsPaid', amount, epoch)
      }
      this.#tell(context, node, 'RewardsPaid', amounts.get(node) ?? 0n, epoch)
    }
  }

  #outOfPurse(context: StakingContext, { owner, firstAmount }: Staker, amount = firstAmount): number {
    const movedUuid = context.newUuid()
    context.events.push(
      ...withdrawn({
        token: flow,
        amount,
        account: owner,
        vaultUuid: vaultUuid(flow, owner),
        movedUuid,
        balanceAfter: context.purse.withdraw(owner, amount),
      }),
    )
    return movedUuid
  }

  #move(context: StakingContext, staker: Staker, from: Bucket, to: Bucket, amount: bigint): void {
    this.#put(context, staker, to, amount, this.#take(context, staker, from, amount))
  }

  #take(context: StakingContext, staker: Staker, bucket: Bucket, amount: bigint): number {
    const movedUuid = context.newUuid()
    context.events.push(
      ...withdrawn({
        token: flow,
        amount,
        account: systemAccounts.service,
        vaultUuid: bucketUuid(staker, bucket),
        movedUuid,
        balanceAfter: this.#change(staker, bucket, -amount),
      }),
    )
    return movedUuid
  }

  #put(context: StakingContext, staker: Staker, bucket: Bucket, amount: bigint, movedUuid: number): void {
    context.events.push(
      ...deposited({
        token: flow,
        amount,
        account: systemAccounts.service,
        vaultUuid: bucketUuid(staker, bucket),
        movedUuid,
        balanceAfter: this.#change(staker, bucket, amount),
      }),
    )
  }

  #change(staker: Staker, what: Bucket | 'requested', by: bigint): bigint {
    const stake = this.#stakes[staker.index]
    const after = (stake?.[what] ?? 0n) + by
    if (stake === undefined || after < 0n) throw new RangeError(`Staker ${staker.index} lacks ${-after} of ${what}`)
    this.#touched.add(staker.index)
    stake[what] = after
    return after
  }

  #tell(
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

function isPending({ committed, unstaking, requested }: Stake): boolean {
  return committed > 0n || unstaking > 0n || requested > 0n
}
