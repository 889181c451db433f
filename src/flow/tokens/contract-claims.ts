import type { DecodedEvent } from '../decoded-block.ts'
import type { PayloadFields } from '../payload-value.ts'
import { contractOf } from './token-id.ts'
import { isUfix64, ufix64Units } from './ufix64.ts'

/** Contract events about mints and burns, with arbitrary fields. Decoded only if needed. */
export class ContractClaims {
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

  /** While the contract's minted amount is not used up. */
  isMinted(token: string, amount: string): boolean {
    const contract = contractOf(token)
    const events = this.#mints.get(contract)
    if (events === undefined) return false
    const left = this.#minted.get(contract) ?? mintedUnits(events)
    if (left === undefined) return true
    this.#minted.set(contract, left - ufix64Units(amount))
    return left > 0n
  }

  hasBurnEvents(token: string): boolean {
    return this.#burns.has(contractOf(token))
  }

  /** Each event explains one amount. */
  isBurned(token: string, amount: string): boolean {
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
    return this.#mints.get(contractOf(token))?.some((event) => mayName(event, id)) ?? false
  }

  isItemBurnt(token: string, id: string): boolean {
    return this.#burns.get(contractOf(token))?.some((event) => mayName(event, id)) ?? false
  }
}

function add(to: Map<string, DecodedEvent[]>, event: DecodedEvent): void {
  const contract = contractOf(event.type)
  const events = to.get(contract)
  if (events === undefined) to.set(contract, [event])
  else events.push(event)
}

/** Undefined if an event has no amount. */
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

/** An event without numbers matches any item. */
function mayName({ fields }: DecodedEvent, id: string): boolean {
  if (fields === undefined) return true
  let namesAny = false
  for (const value of Object.values(fields).flat(1)) {
    if (typeof value !== 'string' || !/^\d+$/.test(value)) continue
    if (value === id) return true
    namesAny = true
  }
  return !namesAny
}
