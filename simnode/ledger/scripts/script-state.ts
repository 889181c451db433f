/** One thing that an account keeps. */
export interface StoredThing {
  /** `/storage/x` or `/public/x`. */
  readonly path: string
  /** Type identifier, as Cadence writes it. */
  readonly type: string
}

/** What an account keeps; amounts are decimal text with eight decimals. */
export interface StoredAccount {
  /** FLOW. */
  readonly balance: string
  /** FLOW that is not reserved for the storage in use. */
  readonly availableBalance: string
  /** Bytes. */
  readonly storageUsed: number | bigint
  /** Bytes. */
  readonly storageCapacity: number | bigint
  /** In the order in which the account gives them. */
  readonly stored: readonly StoredThing[]
  readonly published: readonly StoredThing[]
}

/** What the contract of a fungible token says of it. */
export interface TokenMetadata {
  readonly name: string
  readonly symbol: string
  readonly description: string
  readonly externalUrl: string
  readonly logo: string
  /** Address of a page by the name of its site. */
  readonly socials: Readonly<Record<string, string>>
  readonly vaultPath: string
  readonly receiverPath: string
  readonly balancePath: string
  /** Decimal text with eight decimals. */
  readonly totalSupply: string
}

/** What the contract of items says of its collections. */
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

/** What an item says of itself; what is left out it does not say. */
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

/** A row of the staking table; amounts are decimal text with eight decimals. */
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
  /** Its own stake and that of its delegators. */
  readonly totalStaked: string
  readonly delegatorCount: number
  readonly initialWeight: number
}

/** The epoch and the staking table as a whole. */
export interface NetworkState {
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

/** The state after one block, as far as the scripts look at it. Addresses are 0x and 16 hex digits. */
export interface ScriptState {
  readonly height: number
  readonly view: number
  /** Of the block, in seconds since 1970. */
  readonly timestamp: number
  /** Undefined where there is no such account. */
  account(address: string): StoredAccount | undefined
  token(address: string, contract: string): TokenMetadata | undefined
  collection(address: string, contract: string): CollectionMetadata | undefined
  /** The EVM contract, 40 hex digits, that the bridge has associated with a type. */
  evmAddress(type: string): string | undefined
  /** How many collections of a contract, whose types begin with `prefix`, an account keeps. */
  collectionsOf(holder: string, prefix: string): number
  /** The ids that an account holds of one type of item. */
  idsOf(holder: string, itemType: string): readonly bigint[]
  /** An item, where the account holds it. */
  item(holder: string, itemType: string, id: bigint): ItemMetadata | undefined
  readonly network: NetworkState
  node(id: string): NodeState | undefined
}
