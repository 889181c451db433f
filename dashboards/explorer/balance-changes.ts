import type { TransactionDetail } from './answers.gen.ts'
import { isZero, negated, sumAmounts } from './text.ts'

type Moved = Pick<TransactionDetail, 'ft_transfers' | 'nft_transfers' | 'fee' | 'fee_usd' | 'fee_usd_as_of' | 'payer'>

interface AmountChange {
  /** Signed. */
  readonly amount: string
  /** Signed; null if unknown. */
  readonly dollars: string | null
  /** Time of the price. */
  readonly pricedAt: string | null
}

export type Change =
  | (AmountChange & { readonly kind: 'token'; readonly token: string; readonly symbol: string | null })
  | (AmountChange & { readonly kind: 'fee' })
  | {
      readonly kind: 'items'
      readonly collection: string | null
      readonly name: string | null
      readonly isGain: boolean
      readonly ids: readonly string[]
    }

export interface BalanceChange {
  readonly account: string
  readonly change: Change
}

/** Net changes, by account in the order of the transfers. Assets that came back are omitted. */
export function balanceChanges(transaction: Moved): readonly BalanceChange[] {
  const byAccount = new Map<string, Change[]>()
  const add = (account: string, change: Change): void => {
    const changes = byAccount.get(account)
    if (changes === undefined) byAccount.set(account, [change])
    else changes.push(change)
  }
  for (const { account, moves } of sidesOf(transaction.ft_transfers)) {
    const [first] = moves
    if (first === undefined) continue
    const { token, token_symbol: symbol, usd_as_of: pricedAt } = first.move
    const netOf = (values: readonly string[]): string =>
      sumAmounts(moves.map(({ isGain }, i) => (isGain ? (values[i] ?? '0') : negated(values[i] ?? '0'))))
    const amount = netOf(moves.map(({ move }) => move.amount))
    if (isZero(amount)) continue
    const dollars = pricedAt === null ? null : netOf(moves.map(({ move }) => move.usd_value ?? '0'))
    add(account, { kind: 'token', token, symbol, amount, dollars, pricedAt })
  }
  const { fee, fee_usd: feeDollars, fee_usd_as_of: pricedAt, payer } = transaction
  if (fee !== null && !isZero(fee)) {
    const dollars = feeDollars === null ? null : negated(feeDollars)
    add(payer, { kind: 'fee', amount: negated(fee), dollars, pricedAt })
  }
  for (const { account, moves } of sidesOf(transaction.nft_transfers)) {
    const [first] = moves
    if (first === undefined) continue
    const nets = new Map<string, number>()
    for (const { move, isGain } of moves) nets.set(move.token_id, (nets.get(move.token_id) ?? 0) + (isGain ? 1 : -1))
    const { token: collection, collection_name: name } = first.move
    for (const isGain of [true, false]) {
      const ids = [...nets].filter(([, net]) => (isGain ? net > 0 : net < 0)).map(([id]) => id)
      if (ids.length > 0) add(account, { kind: 'items', collection, name, isGain, ids })
    }
  }
  return [...byAccount].flatMap(([account, changes]) => changes.map((change) => ({ account, change })))
}

interface Move {
  readonly token: string | null
  readonly from_address: string | null
  readonly to_address: string | null
}

interface Sides<Each> {
  readonly account: string
  readonly moves: readonly { readonly move: Each; readonly isGain: boolean }[]
}

/** Moves of each account and asset. */
function sidesOf<Each extends Move>(moves: readonly Each[]): readonly Sides<Each>[] {
  const sides = moves.flatMap((move) => [
    { account: move.from_address, move, isGain: false },
    { account: move.to_address, move, isGain: true },
  ])
  const known = sides.flatMap(({ account, ...side }) => (account === null ? [] : [{ account, ...side }]))
  const groups = Map.groupBy(known, ({ account, move }) => `${account} ${move.token}`)
  return [...groups.values()].flatMap((group) => group.slice(0, 1).map(({ account }) => ({ account, moves: group })))
}
