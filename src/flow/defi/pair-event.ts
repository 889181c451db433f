import { addressField, amountField, FieldShapeError, uint64Field } from '../event-fields.ts'
import type { PayloadFields } from '../payload-value.ts'
import type { DefiEventType } from './dexes.ts'

/**
 * Before tokens are matched to transfers. `isForward`: from the first token of the pair to the
 * second. Liquidity amounts are in the pair's token order.
 */
export type PairEvent =
  | { readonly what: 'swap'; readonly isForward: boolean; readonly amountIn: string; readonly amountOut: string }
  | {
      readonly what: 'mint' | 'burn'
      readonly lpAmount: string | undefined
      readonly amounts?: readonly [string, string]
    }
  | { readonly what: 'flashloan'; readonly token: string; readonly amount: string }
  | { readonly what: 'fee'; readonly fee: string }
  | {
      readonly what: 'created'
      readonly pairAddress: string
      readonly token0: string
      readonly token1: string
      readonly isStable: boolean | undefined
    }

/** `0x` and 16 hex digits. */
export interface PairOfEvent {
  readonly pair: string
  readonly holder: string
}

/**
 * Increment Labs: direction 0 is token 0 to token 1, 1 the reverse. Blocto: side 1 is token 1 to
 * token 2, 2 the reverse; the incoming amount excludes the fee. Metapier: a pool's id is the number
 * of its account.
 *
 * @throws FieldShapeError
 */
export function readPairEvent({ kind }: DefiEventType, fields: PayloadFields): PairEvent {
  switch (kind) {
    case 'swap-by-direction': {
      const isForward = oneOf(fields, 'direction', '0', '1')
      const [amountIn, amountOut] = [amountField(fields, 'inTokenAmount'), amountField(fields, 'outTokenAmount')]
      return { what: 'swap', isForward, amountIn, amountOut }
    }
    case 'trade-by-side': {
      const isForward = oneOf(fields, 'side', '1', '2')
      const amounts = [amountField(fields, 'token1Amount'), amountField(fields, 'token2Amount')] as const
      const [amountIn, amountOut] = isForward ? amounts : [amounts[1], amounts[0]]
      return { what: 'swap', isForward, amountIn, amountOut }
    }
    case 'pool-swap': {
      const isForward = booleanField(fields, 'swapAForB')
      const [amountIn, amountOut] = [amountField(fields, 'amountIn'), amountField(fields, 'amountOut')]
      return { what: 'swap', isForward, amountIn, amountOut }
    }
    case 'pool-mint': {
      const amounts = [amountField(fields, 'amountAIn'), amountField(fields, 'amountBIn')] as const
      return { what: 'mint', lpAmount: undefined, amounts }
    }
    case 'pool-burn': {
      const amounts = [amountField(fields, 'amountAOut'), amountField(fields, 'amountBOut')] as const
      return { what: 'burn', lpAmount: amountField(fields, 'amountLP'), amounts }
    }
    case 'lp-minted':
      return { what: 'mint', lpAmount: amountField(fields) }
    case 'lp-burned':
      return { what: 'burn', lpAmount: amountField(fields) }
    case 'flashloan': {
      return { what: 'flashloan', token: tokenKeyField(fields, 'requestedTokenKey'), amount: amountField(fields) }
    }
    case 'fee-updated':
      return { what: 'fee', fee: amountField(fields, 'feePercentage') }
    case 'pair-created':
      break
  }
  return {
    what: 'created',
    pairAddress: addressField(fields, 'pairAddress'),
    token0: tokenKeyField(fields, 'token0Key'),
    token1: tokenKeyField(fields, 'token1Key'),
    isStable: fields['stableMode'] === undefined ? undefined : booleanField(fields, 'stableMode'),
  }
}

/** For contracts with many pools, the pair includes the pool's account. */
export function pairOf({ kind, contract, account }: DefiEventType, fields: PayloadFields): PairOfEvent {
  if (!kind.startsWith('pool-')) return { pair: contract, holder: `0x${account}` }
  const pool = BigInt(uint64Field(fields, 'poolId')).toString(16).padStart(16, '0')
  return { pair: `${contract}.${pool}`, holder: `0x${pool}` }
}

function oneOf(fields: PayloadFields, name: string, yes: string, no: string): boolean {
  const value = fields[name]
  if (value !== yes && value !== no) throw new FieldShapeError(`field ${name} is neither ${yes} nor ${no}`)
  return value === yes
}

function booleanField(fields: PayloadFields, name: string): boolean {
  const value = fields[name]
  if (typeof value !== 'boolean') throw new FieldShapeError(`field ${name} is not a Bool`)
  return value
}

function tokenKeyField(fields: PayloadFields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || !/^A\.[0-9a-f]{16}\.[^.]+$/.test(value)) {
    throw new FieldShapeError(`field ${name} is not a token key`)
  }
  return value
}
