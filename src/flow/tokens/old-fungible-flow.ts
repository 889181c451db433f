import type { BalanceChange, FungibleTransfer, Untyped } from './token-moves.ts'
import { ufix64Text, ufix64Units } from './ufix64.ts'

/** Events before Cadence 1.0 have the account of a vault but not its uuid. */
export interface OldVaultEvent {
  readonly eventIndex: number
  readonly token: string
  readonly isDeposit: boolean
  readonly amount: string
  readonly party: string | undefined
}

interface Lot {
  readonly from: string
  readonly eventIndex: number
  units: bigint
}

/**
 * A deposit takes the oldest withdrawal of the same amount, else parts of the oldest ones. Ignores
 * moves between vaults in no account.
 */
export function oldFungibleTransfers(events: readonly OldVaultEvent[]): Untyped<FungibleTransfer>[] {
  const transfers: Untyped<FungibleTransfer>[] = []
  const lots: Lot[] = []
  for (const { eventIndex, token, isDeposit, amount, party } of events) {
    if (party === undefined) continue
    const units = ufix64Units(amount)
    if (!isDeposit) {
      lots.push({ from: party, eventIndex, units })
      continue
    }
    const exact = lots.findIndex((lot) => lot.units === units)
    const taken = exact >= 0 ? lots.splice(exact, 1) : take(lots, units)
    let missing = units
    for (const { from, units: part } of taken) {
      missing -= part
      transfers.push({ eventIndex, token, from, to: party, amount: ufix64Text(part), type: 'transfer' })
    }
    if (missing > 0n) {
      transfers.push({ eventIndex, token, from: undefined, to: party, amount: ufix64Text(missing), type: 'deposit' })
    }
  }
  const [first] = events
  if (first === undefined) return transfers
  for (const { from, eventIndex, units } of lots) {
    if (units === 0n) continue
    const amount = ufix64Text(units)
    transfers.push({ eventIndex, token: first.token, from, to: undefined, amount, type: 'withdrawal' })
  }
  return transfers
}

export function oldBalanceChanges(events: readonly OldVaultEvent[]): BalanceChange[] {
  const changes = new Map<string, { token: string; address: string; units: bigint }>()
  for (const { token, isDeposit, amount, party } of events) {
    if (party === undefined) continue
    const units = isDeposit ? ufix64Units(amount) : -ufix64Units(amount)
    const change = changes.get(party)
    if (change === undefined) changes.set(party, { token, address: party, units })
    else change.units += units
  }
  return [...changes.values()]
}

function take(lots: Lot[], wanted: bigint): Lot[] {
  const taken: Lot[] = []
  let missing = wanted
  for (let lot = lots[0]; lot !== undefined && missing > 0n; lot = lots[0]) {
    const units = lot.units < missing ? lot.units : missing
    taken.push({ from: lot.from, eventIndex: lot.eventIndex, units })
    lot.units -= units
    missing -= units
    if (lot.units === 0n) lots.shift()
  }
  return taken
}
