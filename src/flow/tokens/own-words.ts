import type { DecodedEvent } from '../decoded-block.ts'
import type { PayloadFields } from '../payload-value.ts'
import { contractOf } from './token-id.ts'
import { isUfix64, ufix64Units } from './ufix64.ts'

/**
 * What contracts say themselves, by events of whatever fields, of tokens and items that they made or destroyed. Such
 * events move nothing: they only tell why something appeared, or did not arrive. Their fields are looked at where there
 * is such a thing to explain.
 */
export class OwnWords {
  readonly #mints = new Map<string, DecodedEvent[]>()
  readonly #burns = new Map<string, DecodedEvent[]>()
  readonly #minted = new Map<string, bigint>()
  readonly #burntAmounts = new Map<string, string[]>()

  minted(event: DecodedEvent): void {
    add(this.#mints, event)
  }

  burned(event: DecodedEvent): void {
    add(this.#burns, event)
  }

  /** Whether an amount that appeared was minted: only while some of what the contract minted is unaccounted for. */
  isMinted(token: string, amount: string): boolean {
    const contract = contractOf(token)
    const events = this.#mints.get(contract)
    if (events === undefined) return false
    const left = this.#minted.get(contract) ?? mintedUnits(events)
    if (left === undefined) return true
    this.#minted.set(contract, left - ufix64Units(amount))
    return left > 0n
  }

  /** Whether the contract tells of tokens that it burned. */
  tellsOfBurns(token: string): boolean {
    return this.#burns.has(contractOf(token))
  }

  /** Whether an amount that did not arrive was burned; each event of the contract answers for one. */
  isBurnt(token: string, amount: string): boolean {
    const contract = contractOf(token)
    let amounts = this.#burntAmounts.get(contract)
    if (amounts === undefined) {
      amounts = (this.#burns.get(contract) ?? []).map(({ fields }) => amountOf(fields) ?? '')
      this.#burntAmounts.set(contract, amounts)
    }
    const at = amounts.indexOf(amount)
    if (at >= 0) amounts.splice(at, 1)
    return at >= 0
  }

  isItemMinted(token: string, id: string): boolean {
    return this.#mints.get(contractOf(token))?.some((event) => mayMean(event, id)) ?? false
  }

  isItemBurnt(token: string, id: string): boolean {
    return this.#burns.get(contractOf(token))?.some((event) => mayMean(event, id)) ?? false
  }
}

function add(to: Map<string, DecodedEvent[]>, event: DecodedEvent): void {
  const contract = contractOf(event.type)
  const events = to.get(contract)
  if (events === undefined) to.set(contract, [event])
  else events.push(event)
}

/** Undefined where one of the events does not say how much. */
function mintedUnits(events: readonly DecodedEvent[]): bigint | undefined {
  let sum = 0n
  for (const { fields } of events) {
    const amount = amountOf(fields)
    if (amount === undefined) return undefined
    sum += ufix64Units(amount)
  }
  return sum
}

function amountOf(fields: PayloadFields | undefined): string | undefined {
  const amount = fields?.['amount']
  return typeof amount === 'string' && isUfix64(amount) ? amount : undefined
}

/** Whether the event names the item, by whatever field; one that names no number at all may mean any. */
function mayMean({ fields }: DecodedEvent, id: string): boolean {
  if (fields === undefined) return true
  let namesAny = false
  for (const value of Object.values(fields).flat(1)) {
    if (typeof value !== 'string' || !/^\d+$/.test(value)) continue
    if (value === id) return true
    namesAny = true
  }
  return !namesAny
}
