import { accountAt } from './account.ts'
import type { Account } from './account.ts'

export interface Token {
  readonly index: number
  readonly name: string
  readonly title: string
  readonly symbol: string
  readonly contract: Account
  /** E.g. `A.0ae53cb6e3f42a79.FlowToken.Vault`. */
  readonly vaultType: string
  readonly storagePath: string
  readonly receiverPath: string
  readonly balancePath: string
}

/** As on the emulator. */
export const systemAccounts = {
  service: accountAt(1),
  fungibleToken: accountAt(2),
  flowToken: accountAt(3),
  flowFees: accountAt(4),
  evmStorage: accountAt(5),
} as const

export const flow: Token = token(0, 'FlowToken', 'FLOW Network Token', 'FLOW', systemAccounts.flowToken, 'flowToken')
export const usdc: Token = token(1, 'FiatToken', 'USD Coin', 'USDC', accountAt(16), 'USDC')
export const pebble: Token = token(2, 'PebbleCoin', 'Pebble Coin', 'PEB', accountAt(17), 'pebbleCoin')

export const tokens: readonly Token[] = [flow, usdc, pebble]

export function vaultUuid({ index }: Token, account: Account): number {
  return 2 ** 48 + index * 2 ** 40 + account.index
}

function token(index: number, name: string, title: string, symbol: string, contract: Account, path: string): Token {
  return {
    index,
    name,
    title,
    symbol,
    contract,
    vaultType: `A.${contract.hex}.${name}.Vault`,
    storagePath: `/storage/${path}Vault`,
    receiverPath: `/public/${path}Receiver`,
    balancePath: `/public/${path}Balance`,
  }
}

export interface Pair {
  readonly index: number
  /** Holds the reserves. */
  readonly contract: Account
  readonly token0: Token
  readonly token1: Token
  /** In units of 10^-8. */
  readonly firstReserves: readonly [bigint, bigint]
}

const unit = 100_000_000n

export const pairs: readonly Pair[] = [
  {
    index: 0,
    contract: accountAt(32),
    token0: flow,
    token1: usdc,
    firstReserves: [2_000_000n * unit, 1_100_000n * unit],
  },
  {
    index: 1,
    contract: accountAt(33),
    token0: flow,
    token1: pebble,
    firstReserves: [300_000n * unit, 15_000_000n * unit],
  },
]

/** In units of 10^-8. */
export function reservesAtStart(token: Token, account: Account): bigint {
  const pair = pairs.find(({ contract }) => contract === account)
  if (token === pair?.token0) return pair.firstReserves[0]
  return token === pair?.token1 ? pair.firstReserves[1] : 0n
}
