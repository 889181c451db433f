/** The size of a skewed chain. */
export interface SkewedSize {
  /** Fungible token transfers without fees. Other counts are proportional. */
  readonly transfers: number
  /** Heights between blocks. With the partition width it determines the number of partitions. */
  readonly spacing: number
}

export const transfersPerBlock = 5

/** The accounts of a skewed chain, and their assets. */
export const skewed = {
  /** Nine tenths of all transfers are of this token. */
  token: 'A.1654653399040a61.FlowToken',
  /** Moves in every eighth of the chain's history. */
  rareToken: 'A.00000000000000e1.Rare',
  /** Moves in every block of the first thirtieth of the chain's history, then never. */
  oldToken: 'A.00000000000000e2.Old',
  /**
   * Pays for a third of all transactions, receives a fifth of all transfers, and holds every token.
   */
  whale: '0x00000000000000c0',
  /** Is in one of 500 blocks. */
  occasional: '0x00000000000000c1',
  /** Is in one block of each eighth of the chain's history. */
  quiet: '0x00000000000000c2',
  /** Is rare until the last fiftieth of the chain's history, then in one of ten blocks. */
  late: '0x00000000000000c3',
  /** Proposes one of ten transactions for others. */
  relay: '0x00000000000000c4',
  /** Authorizes one of twenty transactions of others. */
  guest: '0x00000000000000c5',
  /** Does not exist. */
  nobody: '0x00000000000000cf',
  collection: 'A.0b2a3299cc857e29.TopShot',
  rareCollection: 'A.00000000000000e3.RareItems',
  /** Imported by every script. */
  contract: 'A.f233dcee88fe0abe.FungibleToken',
  rareContract: 'A.00000000000000e4.RareContract',
  eventType: 'A.1654653399040a61.FlowToken.TokensDeposited',
  evmEventType: 'A.e467b9dd11fa00df.EVM.TransactionExecuted',
  evmBlockType: 'A.e467b9dd11fa00df.EVM.BlockExecuted',
  rareEventType: 'A.00000000000000e4.RareContract.Happened',
  /** Sends half of all EVM transactions, and holds every EVM token. */
  evmWhale: 'b0'.repeat(20),
  evmQuiet: 'd0'.repeat(20),
  evmCoin: '20'.repeat(20),
  evmBadge: '72'.repeat(20),
  /** Selector of a twentieth of the EVM transactions. */
  evmMethod: 'aaaaaaaa',
  node: 'a1'.repeat(32),
  pair: 'A.fa82796435e15832.SwapPair',
  quietPair: 'A.00000000000000e5.SwapPair',
  publicKey: 'ab'.repeat(64),
  handlerOwner: '0x00000000000000c6',
} as const

/** The counts of a skewed chain. */
export interface SkewedWorld {
  readonly spacing: number
  readonly blocks: number
  /** The block with the most recent transfers. */
  readonly highest: number
  readonly accounts: number
  readonly tokens: number
  readonly collections: number
  /** Items of the large collection. */
  readonly items: number
  readonly contracts: number
  readonly evmTokens: number
  readonly pairs: number
  readonly nodes: number
  readonly delegators: number
  readonly epochs: number
  readonly scheduled: number
}

export function skewedWorld({ transfers, spacing }: SkewedSize): SkewedWorld {
  const blocks = Math.floor(transfers / transfersPerBlock)
  const share = (of: number, min: number): number => Math.max(min, Math.floor(transfers / of))
  return {
    spacing,
    blocks,
    highest: (blocks - 1) * spacing,
    accounts: share(50, 400),
    tokens: 300,
    collections: 200,
    items: share(50, 400),
    contracts: share(250, 500),
    evmTokens: share(1000, 300),
    pairs: share(5000, 200),
    nodes: 400,
    delegators: share(200, 400),
    epochs: Math.min(200, share(50_000, 40)),
    scheduled: share(50, 400),
  }
}

/** Between 0 and 1, uniform and deterministic per seed, as SQL. */
export function uniformRandom(seed: string, salt: number): string {
  return `((hashint8extended(${seed}, ${salt}) & 2147483647) / 2147483648::float8)`
}

/** A number below `count`, skewed to low ones: the first of 1,000 has a tenth. SQL. */
export function skewedNumber(count: number, seed: string, salt: number): string {
  return `floor(${count} * power(${uniformRandom(seed, salt)}, 3))::bigint`
}

/** The account with a number, as SQL. */
export function accountAt(number: string): string {
  return `('0x' || lpad(to_hex(65536 + ${number}), 16, '0'))`
}

/** The EVM account with a number, without 0x, as SQL. */
export function evmAddressAt(first: string, number: string): string {
  return `('${first}' || lpad(to_hex(${number}), 39, '0'))`
}

/** The contract with a number, as SQL. */
export function contractAt(number: string, name: string): string {
  return `('A.' || lpad(to_hex(65536 + ${number}), 16, '0') || '.${name}')`
}

/** Whether block `n` is one of about eight with rare content, as SQL. */
export function isRare({ blocks }: SkewedWorld): string {
  return `(n % ${Math.floor(blocks / 8)} = 3)`
}

/** Whether `skewed.late` is in block `n`, as SQL. */
export function isLate({ blocks }: SkewedWorld): string {
  return `(n % ${Math.floor(blocks / 30)} = 5 or (n % 10 = 3 and n > ${Math.floor(blocks * 0.98)}))`
}

/** Whether `skewed.occasional` is in block `n`, as SQL. */
export const isOccasional = '(n % 500 = 7)'
