/** As in `app.defi_events.event_type`. `ProtocolFee`: liquidity tokens for the exchange itself, for nothing. */
export type DefiType = 'Swap' | 'AddLiquidity' | 'RemoveLiquidity' | 'Flashloan' | 'ProtocolFee'

/** What an event did to a pair of tokens. Amounts are UFix64 texts, undefined where nothing tells them. */
export interface DefiEvent {
  readonly index: number
  /** `A.<address>.<contract>`, with a further part where one contract has many pools. */
  readonly pair: string
  readonly type: DefiType
  /** The tokens of the pair, `A.<address>.<name>`: in its own order for swaps, else as they moved. */
  readonly asset0: string | undefined
  readonly asset1: string | undefined
  /** What went into the pair and out of it. */
  readonly in0?: string | undefined
  readonly out0?: string | undefined
  readonly in1?: string | undefined
  readonly out1?: string | undefined
  /** Of the liquidity token. */
  readonly lpAmount?: string | undefined
}

/** What an event tells of a pair itself. */
export interface PairChange {
  readonly index: number
  readonly pair: string
  readonly asset0: string | undefined
  readonly asset1: string | undefined
  /** Whether its price formula is that for tokens of equal worth; undefined where the event does not tell. */
  readonly isStable: boolean | undefined
  /** Part of a swap, UFix64 text: 0.00300000 is 30 basis points. */
  readonly fee: string | undefined
}
