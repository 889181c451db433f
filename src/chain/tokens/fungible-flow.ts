import type { FungibleTransfer, TransferType, VaultBalance } from './token-moves.ts'
import { ufix64Text, ufix64Units, ufix64Zero } from './ufix64.ts'

export interface VaultWithdrawn {
  readonly eventIndex: number
  readonly token: string
  readonly amount: string
  /** Undefined where the vault lies in no account. */
  readonly from: string | undefined
  readonly fromVault: string
  readonly withdrawnVault: string
  readonly balanceAfter: string
}

export interface VaultDeposited {
  readonly eventIndex: number
  readonly token: string
  readonly amount: string
  readonly to: string | undefined
  readonly toVault: string
  readonly depositedVault: string
  readonly balanceAfter: string
}

export interface VaultBurned {
  readonly eventIndex: number
  readonly token: string
  readonly amount: string
  readonly vault: string
}

/** Money on its way: who it came from, and by which event it left. */
interface Lot {
  readonly from: string | undefined
  readonly eventIndex: number
  readonly amount: string
}

interface Content {
  readonly token: string
  readonly lots: Lot[]
}

/**
 * Follows fungible tokens through one transaction by the uuids of their vaults. A vault that was withdrawn carries
 * lots: amounts, each with the account that it left. Withdrawing from such a vault takes lots out of it, the oldest
 * first, and depositing into it adds to them; when a vault is deposited into one that lies in an account, its lots have
 * arrived. So vaults may be split and merged and pass through others, and what left equals what arrived, plus what was
 * burned or kept, minus what appeared.
 *
 * Only FungibleToken's own events are followed: every vault emits them, whatever its contract emits besides.
 * Source: onflow/flow-ft `contracts/FungibleToken.cdc` (post-conditions of `withdraw` and `deposit`, `burnCallback`).
 */
export class FungibleFlow {
  readonly transfers: FungibleTransfer[] = []
  readonly #transit = new Map<string, Content>()
  readonly #vaults = new Map<string, VaultBalance>()
  /** Vaults that a withdrawal made here: as long as they lie in no account, their state is nobody's business. */
  readonly #made = new Set<string>()

  withdrawn(event: VaultWithdrawn): void {
    const { eventIndex, token, amount, from, fromVault, withdrawnVault, balanceAfter } = event
    const source = this.#transit.get(fromVault)
    let lots: Lot[]
    if (from !== undefined) {
      // It was on its way and now it lies in an account: it was stored there, for which there is no event.
      if (source !== undefined) this.#arrive(fromVault, source, from, eventIndex)
      lots = [{ from, eventIndex, amount }]
    } else if (source !== undefined) {
      lots = takeLots(source.lots, amount, eventIndex)
    } else {
      lots = this.#unseen(fromVault, amount, eventIndex)
    }
    this.#transit.set(withdrawnVault, { token, lots })
    this.#made.add(withdrawnVault)
    this.#state(fromVault, token, from, balanceAfter, eventIndex)
  }

  deposited(event: VaultDeposited): void {
    const { eventIndex, token, amount, to, toVault, depositedVault, balanceAfter } = event
    const lots = this.#takeAll(depositedVault, amount, eventIndex)
    const target = this.#transit.get(toVault)
    if (to !== undefined) {
      if (target !== undefined) this.#arrive(toVault, target, to, eventIndex)
      this.#emit(lots, token, to, eventIndex)
    } else if (target !== undefined) target.lots.push(...lots)
    else this.#transit.set(toVault, { token, lots })
    this.#gone(depositedVault, token, eventIndex)
    this.#state(toVault, token, to, balanceAfter, eventIndex)
  }

  burned({ eventIndex, token, amount, vault }: VaultBurned): void {
    const lots = this.#takeAll(vault, amount, eventIndex)
    this.#emit(lots, token, undefined, eventIndex, 'burn')
    this.#gone(vault, token, eventIndex)
  }

  /** FLOW that went into an EVM account, with the vault that held it. */
  enteredEvm(eventIndex: number, token: string, amount: string, vault: string, evmAddress: string): void {
    const lots = this.#takeAll(vault, amount, eventIndex)
    this.#emit(lots, token, evmAddress, eventIndex, 'bridge')
    this.#gone(vault, token, eventIndex)
  }

  /** FLOW that came out of an EVM account, in a new vault. */
  leftEvm(eventIndex: number, token: string, amount: string, vault: string, evmAddress: string): void {
    this.#transit.set(vault, { token, lots: [{ from: evmAddress, eventIndex, amount }] })
    this.#made.add(vault)
  }

  /**
   * What is still on its way when the transaction ends did not arrive anywhere.
   * @param isBurned whether the token itself says that this amount was burned
   */
  finish(isBurned: (token: string, amount: string) => boolean): void {
    for (const { token, lots } of this.#transit.values()) {
      const left = lots.filter((lot) => lot.from !== undefined && lot.amount !== ufix64Zero)
      if (left.length === 0) continue
      const type = isBurned(token, total(lots)) ? 'burn' : 'withdrawal'
      for (const lot of left) this.#emit([lot], token, undefined, lot.eventIndex, type)
    }
    this.#transit.clear()
  }

  /** The last state of each vault that an account has or had. Those that came and went in between are left out. */
  vaults(): VaultBalance[] {
    return [...this.#vaults.values()]
  }

  #takeAll(vault: string, amount: string, eventIndex: number): Lot[] {
    const content = this.#transit.get(vault)
    if (content === undefined) return this.#unseen(vault, amount, eventIndex)
    this.#transit.delete(vault)
    return takeLots(content.lots, amount, eventIndex)
  }

  /** Money of a vault that was not withdrawn here: it came from the account in which it was last seen, if it was. */
  #unseen(vault: string, amount: string, eventIndex: number): Lot[] {
    return [{ from: this.#vaults.get(vault)?.owner, eventIndex, amount }]
  }

  /** A vault on its way turns out to lie in an account: what is of others has arrived there. */
  #arrive(vault: string, content: Content, owner: string, eventIndex: number): void {
    this.#transit.delete(vault)
    const moved = content.lots.filter((lot) => lot.from !== owner)
    this.#emit(moved, content.token, owner, eventIndex)
  }

  #emit(lots: readonly Lot[], token: string, to: string | undefined, eventIndex: number, given?: TransferType): void {
    for (const lot of joinLots(lots)) {
      // An empty vault that comes from nowhere says nothing.
      if (lot.from === undefined && lot.amount === ufix64Zero) continue
      const type = given ?? (lot.from === undefined ? 'deposit' : isEvm(lot.from) ? 'bridge' : 'transfer')
      this.transfers.push({ eventIndex, token, from: lot.from, to, amount: lot.amount, type })
    }
  }

  #state(vault: string, token: string, owner: string | undefined, balance: string, eventIndex: number): void {
    if (owner === undefined && this.#made.has(vault)) return
    this.#made.delete(vault)
    this.#vaults.set(vault, { token, vault, owner, balance, eventIndex })
  }

  #gone(vault: string, token: string, eventIndex: number): void {
    if (this.#made.has(vault)) return
    this.#vaults.set(vault, { token, vault, owner: undefined, balance: ufix64Zero, eventIndex })
  }
}

/** Takes `amount` out of `lots`, the oldest first. What they lack came from where no event tells. */
function takeLots(lots: Lot[], amount: string, eventIndex: number): Lot[] {
  const [only] = lots
  if (lots.length === 1 && only?.amount === amount) {
    lots.length = 0
    return [only]
  }
  let wanted = ufix64Units(amount)
  const taken: Lot[] = []
  for (let lot = lots[0]; lot !== undefined && wanted > 0n; lot = lots[0]) {
    const held = ufix64Units(lot.amount)
    const part = held < wanted ? held : wanted
    taken.push(part === held ? lot : { ...lot, amount: ufix64Text(part) })
    if (part === held) lots.shift()
    else lots[0] = { ...lot, amount: ufix64Text(held - part) }
    wanted -= part
  }
  if (wanted > 0n) taken.push({ from: undefined, eventIndex, amount: ufix64Text(wanted) })
  return taken
}

/** One lot for each account, in the order in which they first come. */
function joinLots(lots: readonly Lot[]): readonly Lot[] {
  if (lots.length < 2) return lots
  const joined: Lot[] = []
  for (const lot of lots) {
    const at = joined.findIndex((other) => other.from === lot.from)
    const other = joined[at]
    if (other === undefined) joined.push(lot)
    else joined[at] = { ...other, amount: ufix64Text(ufix64Units(other.amount) + ufix64Units(lot.amount)) }
  }
  return joined
}

function total(lots: readonly Lot[]): string {
  return ufix64Text(lots.reduce((sum, lot) => sum + ufix64Units(lot.amount), 0n))
}

/** EVM addresses have 20 bytes, Flow addresses 8. */
function isEvm(address: string): boolean {
  return address.length === 42
}
