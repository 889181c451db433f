import { alarmJob, alarmKeeper } from '../world/genesis-contracts.ts'
import type { LedgerState } from '../state/ledger-state.ts'
import type { Account } from '../world/account.ts'
import { collections, itemUuid } from '../world/collections.ts'
import { placeInRound } from '../world/users.ts'
import { flow, systemAccounts, tokens } from '../world/tokens.ts'
import { addressBytes } from '../../../src/flow/address.ts'
import { ufix64Text } from '../../../src/flow/tokens/ufix64.ts'
import { bridgedContracts, coas, codeOf } from '../evm/evm-world.ts'
import type { Coa } from '../evm/evm-world.ts'
import type { LedgerChain } from '../ledger-chain.ts'
import { epochPayout, viewsOf } from '../activities/staking.ts'
import { minimumStake, nodeIdOf, nodeOfId, roleOf } from '../staking/stakers.ts'
import type { StakingTable } from '../staking/staking-table.ts'
import { accountOfAddress } from '../world/account.ts'
import { viewOf } from '../world/clock.ts'
import type { Collection } from '../world/collections.ts'
import { placeInCycle, cycleLength, cycleOf } from '../world/cycle.ts'
import type { Token } from '../world/tokens.ts'
import { callContract } from './evm-contracts.ts'
import { collectionMetadata, itemMetadata, tokenMetadata } from './display-metadata.ts'

interface StoredThing {
  /** `/storage/x` or `/public/x`. */
  readonly path: string
  readonly type: string
}

/** Amounts are decimal text with eight decimals. */
export interface StoredAccount {
  readonly balance: string
  /** FLOW that is not reserved for storage. */
  readonly availableBalance: string
  readonly storageUsed: number | bigint
  readonly storageCapacity: number | bigint
  readonly stored: readonly StoredThing[]
  readonly published: readonly StoredThing[]
}

export interface TokenMetadata {
  readonly name: string
  readonly symbol: string
  readonly description: string
  readonly externalUrl: string
  readonly logo: string
  readonly socials: Readonly<Record<string, string>>
  readonly vaultPath: string
  readonly receiverPath: string
  readonly balancePath: string
  /** Decimal text with eight decimals. */
  readonly totalSupply: string
}

export interface CollectionMetadata {
  readonly name: string
  readonly description: string
  readonly externalUrl: string
  readonly squareImage: string
  readonly bannerImage: string
  readonly socials: Readonly<Record<string, string>>
  readonly storagePath: string
  readonly publicPath: string
}

export interface ItemMetadata {
  readonly uuid: bigint
  readonly name?: string
  readonly description?: string
  readonly thumbnail?: string
  readonly externalUrl?: string
  readonly serialNumber?: bigint
  readonly edition?: { readonly name?: string; readonly number: bigint; readonly max?: bigint }
  readonly rarity?: { readonly score?: string; readonly description?: string }
  readonly traits: readonly { readonly name: string; readonly value: string }[]
}

/** Amounts are decimal text with eight decimals. */
export interface NodeState {
  readonly id: string
  /** 1 collection, 2 consensus, 3 execution, 4 verification, 5 access. */
  readonly role: number
  readonly networkingAddress: string
  readonly tokensStaked: string
  readonly tokensCommitted: string
  readonly tokensUnstaking: string
  readonly tokensUnstaked: string
  readonly tokensRewarded: string
  readonly tokensRequestedToUnstake: string
  readonly totalStaked: string
  readonly delegatorCount: number
  readonly initialWeight: number
}

interface EvmAccountState {
  /** In attoflow. */
  readonly balance: bigint
  readonly nonce: number
  readonly code: Buffer
}

interface NetworkState {
  readonly epoch: number
  /** 0 staking auction, 1 setup, 2 commit. */
  readonly phase: number
  readonly startView: number
  readonly stakingEndView: number
  readonly endView: number
  readonly epochRewards: string
  /** Seconds since 1970. */
  readonly targetEndTime: number
  readonly isStakingEnabled: boolean
  readonly totalStaked: string
  /** By role. */
  readonly stakedByRole: ReadonlyMap<number, string>
  readonly minimumStakeByRole: ReadonlyMap<number, string>
  readonly epochPayout: string
  /** A fraction. */
  readonly rewardCut: string
  readonly flowSupply: string
  readonly nodeIds: readonly string[]
  readonly stakedNodeIds: readonly string[]
}

/** Addresses are 0x and 16 hex digits. */
export interface ScriptState {
  readonly height: number
  readonly view: number
  /** Seconds since 1970. */
  readonly timestamp: number
  account(address: string): StoredAccount | undefined
  token(address: string, contract: string): TokenMetadata | undefined
  collection(address: string, contract: string): CollectionMetadata | undefined
  /** The bridged EVM contract of a type, 40 hex digits. */
  evmAddress(type: string): string | undefined
  /** Undefined if the call reverts. @param contract 40 hex digits */
  evmCall(contract: string, input: Buffer): Buffer | undefined
  /** @param address 40 hex digits */
  evmAccount(address: string): EvmAccountState
  /** 40 hex digits. */
  coaOf(address: string): string | undefined
  collectionsOf(holder: string, prefix: string): number
  idsOf(holder: string, itemType: string): readonly bigint[]
  item(holder: string, itemType: string, id: bigint): ItemMetadata | undefined
  readonly network: NetworkState
  node(id: string): NodeState | undefined
}

function coaOfAccount({ index }: Account): Coa | undefined {
  return coas.find(({ owner }) => owner.index === index)
}

const receivers = `Capability<&{A.${systemAccounts.fungibleToken.hex}.FungibleToken.Receiver}>`

/** Users store all tokens and collections. */
function storedBy(state: LedgerState, account: Account): readonly StoredThing[] {
  const isUser = placeInRound(account) !== undefined
  const own = tokens.filter((token) => token === flow || isUser || state.vaults.balance(token, account) > 0n)
  const vaults = own.map(({ storagePath, vaultType }) => ({ path: storagePath, type: vaultType }))
  if (account.index === alarmKeeper.index) vaults.push({ path: alarmJob.storagePath, type: alarmJob.type })
  if (coaOfAccount(account) !== undefined)
    vaults.push({ path: '/storage/evm', type: `A.${systemAccounts.service.hex}.EVM.CadenceOwnedAccount` })
  if (!isUser) return vaults
  return [
    ...vaults,
    ...collections.map(({ storagePath, itemType }) => ({
      path: storagePath,
      type: itemType.replace(/NFT$/, 'Collection'),
    })),
    { path: '/storage/NFTStorefrontV2', type: `A.${systemAccounts.service.hex}.NFTStorefrontV2.Storefront` },
  ]
}

function publishedBy(state: LedgerState, account: Account): readonly StoredThing[] {
  const isUser = placeInRound(account) !== undefined
  const own = tokens.filter((token) => token === flow || isUser || state.vaults.balance(token, account) > 0n)
  const vaults = own.flatMap(({ receiverPath, balancePath, vaultType }) => [
    { path: receiverPath, type: receivers },
    { path: balancePath, type: `Capability<&${vaultType}>` },
  ])
  if (!isUser) return vaults
  return [
    ...vaults,
    ...collections.map(({ publicPath, itemType }) => ({
      path: publicPath,
      type: `Capability<&${itemType.replace(/NFT$/, 'Collection')}>`,
    })),
    {
      path: '/public/NFTStorefrontV2',
      type: `Capability<&{A.${systemAccounts.service.hex}.NFTStorefrontV2.StorefrontPublic}>`,
    },
  ]
}

/** 100 MB per FLOW. */
const bytesPerFlow = 100_000_000n
const unit = 100_000_000n

/** Use it at once: see `LedgerChain.stateAt`. */
export class LedgerScriptState implements ScriptState {
  readonly height: number
  readonly #chain: LedgerChain
  readonly #state: LedgerState

  constructor(chain: LedgerChain, height: number) {
    this.height = height
    this.#chain = chain
    this.#state = chain.stateAt(height)
  }

  get view(): number {
    return viewOf(this.height)
  }

  get timestamp(): number {
    return this.#chain.timeOf(this.height) / 1000
  }

  account(address: string): StoredAccount | undefined {
    const account = this.#accountOf(address)
    if (account === undefined) return undefined
    const { vaults, contracts } = this.#state
    const balance = vaults.balance(flow, account)
    const stored = storedBy(this.#state, account)
    const code = contracts.of(account).reduce((bytes, contract) => bytes + contract.code.length, 0)
    const storageUsed = 800 + 120 * stored.length + code
    const reserved = (BigInt(storageUsed) * unit) / bytesPerFlow
    return {
      balance: ufix64Text(balance),
      availableBalance: ufix64Text(balance > reserved ? balance - reserved : 0n),
      storageUsed,
      storageCapacity: (balance * bytesPerFlow) / unit,
      stored,
      published: publishedBy(this.#state, account),
    }
  }

  token(address: string, contract: string): TokenMetadata | undefined {
    const token = tokens.find((one) => isContract(one, address, contract))
    return token === undefined ? undefined : tokenMetadata(token, ufix64Text(this.#state.supplies.of(token)))
  }

  collection(address: string, contract: string): CollectionMetadata | undefined {
    const collection = collections.find((one) => isContract(one, address, contract))
    return collection === undefined ? undefined : collectionMetadata(collection)
  }

  evmAddress(type: string): string | undefined {
    return bridgedContracts.get(type)
  }

  evmCall(contract: string, input: Buffer): Buffer | undefined {
    return callContract(this.#state.evm, contract, input)
  }

  evmAccount(address: string): EvmAccountState {
    const { evm } = this.#state
    return { balance: evm.balance(address), nonce: evm.nonce(address), code: codeOf(address) }
  }

  coaOf(address: string): string | undefined {
    const account = this.#accountOf(address)
    return account && coaOfAccount(account)?.address.toString('hex')
  }

  collectionsOf(holder: string, prefix: string): number {
    const account = this.#accountOf(holder)
    if (account === undefined) return 0
    return storedBy(this.#state, account).filter(({ type }) => type.startsWith(prefix) && type.endsWith('.Collection'))
      .length
  }

  idsOf(holder: string, itemType: string): readonly bigint[] {
    const [account, collection] = [this.#accountOf(holder), collectionOf(itemType)]
    if (account === undefined || collection === undefined) return []
    return this.#state.items.idsOf(collection, account).map(BigInt)
  }

  item(holder: string, itemType: string, id: bigint): ItemMetadata | undefined {
    const [account, collection] = [this.#accountOf(holder), collectionOf(itemType)]
    if (account === undefined || collection === undefined || id < 1n) return undefined
    const { items } = this.#state
    if (id > BigInt(items.count(collection)) || items.owner(collection, Number(id)).index !== account.index)
      return undefined
    return itemMetadata(collection, Number(id), itemUuid(collection, Number(id)))
  }

  get network(): NetworkState {
    const { staking, supplies } = this.#state
    const epoch = cycleOf(this.height)
    const views = viewsOf(epoch)
    const nodeIds = staking.nodes.map(({ node }) => nodeIdOf(node))
    const isOver = placeInCycle(this.height) === cycleLength - 1
    const payout = ufix64Text(epochPayout(staking))
    return {
      epoch,
      phase: isOver ? 1 : 0,
      isStakingEnabled: !isOver,
      startView: views.first,
      stakingEndView: views.stakingEnd,
      endView: views.final,
      epochRewards: payout,
      epochPayout: payout,
      rewardCut: '0.08000000',
      targetEndTime: Math.floor(this.#chain.timeOf((epoch + 1) * cycleLength) / 1000),
      totalStaked: ufix64Text(staking.totalStaked()),
      stakedByRole: new Map([...minimumStake.keys()].map((role) => [role, ufix64Text(staking.totalStaked(role))])),
      minimumStakeByRole: new Map([...minimumStake].map(([role, amount]) => [role, ufix64Text(amount)])),
      flowSupply: ufix64Text(supplies.of(flow)),
      nodeIds,
      stakedNodeIds: staking.nodes.filter((node) => staking.of(node).staked > 0n).map(({ node }) => nodeIdOf(node)),
    }
  }

  node(id: string): NodeState | undefined {
    const node = nodeOfId(id)
    return node === undefined ? undefined : nodeState(this.#state.staking, node)
  }

  #accountOf(address: string): Account | undefined {
    const account = accountOfAddress(addressBytes(address))
    return account !== undefined && this.#state.accounts.exists(account) ? account : undefined
  }
}

function nodeState(table: StakingTable, node: number): NodeState | undefined {
  const staker = table.nodes.find((one) => one.node === node)
  if (staker === undefined) return undefined
  const { staked, committed, unstaking, unstaked, rewarded, requested } = table.of(staker)
  const delegators = table.delegatorsOf(node)
  const total = delegators.reduce((sum, delegator) => sum + table.of(delegator).staked, staked)
  return {
    id: nodeIdOf(node),
    role: roleOf(node),
    networkingAddress: table.addressOf(node),
    tokensStaked: ufix64Text(staked),
    tokensCommitted: ufix64Text(committed),
    tokensUnstaking: ufix64Text(unstaking),
    tokensUnstaked: ufix64Text(unstaked),
    tokensRewarded: ufix64Text(rewarded),
    tokensRequestedToUnstake: ufix64Text(requested),
    totalStaked: ufix64Text(total),
    delegatorCount: delegators.length,
    initialWeight: 100,
  }
}

function isContract({ contract, name }: Token | Collection, address: string, requests: string): boolean {
  return requests === name && address === `0x${contract.hex}`
}

function collectionOf(itemType: string): Collection | undefined {
  return collections.find((one) => one.itemType === itemType)
}
