import type { FungibleTransfer, TransferType, Unnamed, VaultBalance } from './token-moves.ts'
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
  /** Undefined where the vault lies in no account. */
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

/** A vault that the transaction tells of. */
class Vault {
  readonly token: string
  readonly vault: string
  owner: string | undefined
  balance = ufix64Zero
  eventIndex = 0
  /** Whose the money is that was in it before: of the account in which it was last seen, or of EVM. */
  origin: string | undefined
  /** Undefined while it is not on its way, as far as events tell. */
  lots: Lot[] | undefined
  /** Whether the chain told of its balance. */
  isTold = false
  /** A withdrawal made it here: as long as it lies in no account, its state is nobody's business. */
  isMade = false
  /** What it held is in EVM now, and what becomes of it here is the bridge's business. */
  isBridged = false

  constructor(token: string, vault: string) {
    this.token = token
    this.vault = vault
  }
}

/**
 * Follows fungible tokens through one transaction by the uuids of their vaults. A vault that was withdrawn carries
 * lots: amounts, each with the account that it left. Withdrawing from such a vault takes lots out of it, the oldest
 * first, and depositing into it adds to them; when a vault is deposited into one that lies in an account, its lots have
 * arrived. So vaults may be split and merged and pass through others, and what left equals what arrived, plus what was
 * burned or kept, minus what appeared.
 *
 * Only FungibleToken's own events are followed: every vault emits them, whatever its contract emits besides.
 * Source: onflow/flow-ft `contracts/FungibleToken.cdc` (post-conditions of `withdraw` and `deposit`, `burnCallback`);
 * onflow/flow-evm-bridge `cadence/contracts/bridge/interfaces/IFlowEVMTokenBridge.cdc`.
 */
export class FungibleFlow {
  readonly transfers: Unnamed<FungibleTransfer>[] = []
  readonly #vaults = new Map<string, Vault>()

  withdrawn(event: VaultWithdrawn): void {
    const { eventIndex, token, amount, from, fromVault, withdrawnVault, balanceAfter } = event
    const source = this.#vault(token, fromVault)
    let lots: Lot[]
    if (from === undefined) lots = takeLots(source, amount, eventIndex)
    else {
      // If it was on its way, it was stored in this account, for which there is no event.
      if (source.lots !== undefined) this.#arrive(source, from, eventIndex)
      lots = [{ from, eventIndex, amount }]
    }
    tell(source, from, balanceAfter, eventIndex)
    const made = this.#vault(token, withdrawnVault)
    addLots(made, lots)
    made.isMade = true
  }

  deposited(event: VaultDeposited): void {
    const { eventIndex, token, amount, to, toVault, depositedVault, balanceAfter } = event
    const given = this.#vault(token, depositedVault)
    const lots = takeLots(given, amount, eventIndex)
    markGone(given, eventIndex)
    const target = this.#vault(token, toVault)
    if (to === undefined) addLots(target, lots)
    else {
      if (target.lots !== undefined) this.#arrive(target, to, eventIndex)
      this.#emit(lots, token, to, eventIndex, given.isBridged ? 'escrow' : undefined)
    }
    tell(target, to, balanceAfter, eventIndex)
  }

  burned({ eventIndex, token, amount, vault }: VaultBurned): void {
    const burnt = this.#vault(token, vault)
    const lots = takeLots(burnt, amount, eventIndex)
    // What went to EVM is destroyed here because it is there.
    if (!burnt.isBridged) this.#emit(lots, token, undefined, eventIndex, 'burn')
    markGone(burnt, eventIndex)
  }

  /** Tokens that went into EVM, with the vault that held them. */
  enteredEvm(eventIndex: number, token: string, amount: string, vault: string, evmAddress: string): void {
    const given = this.#vault(token, vault)
    this.#emit(takeLots(given, amount, eventIndex), token, evmAddress, eventIndex, 'bridge')
    markGone(given, eventIndex)
    given.isBridged = true
  }

  /** FLOW that came out of EVM, in a new vault. */
  leftEvm(eventIndex: number, token: string, amount: string, vault: string, evmAddress: string): void {
    const made = this.#vault(token, vault)
    addLots(made, [{ from: evmAddress, eventIndex, amount }])
    made.isMade = true
  }

  /** A vault that the bridge gave for tokens of EVM: it made what is in it, or took it from what it had locked up. */
  unlocked(eventIndex: number, token: string, vault: string, evmAddress: string): void {
    const given = this.#vault(token, vault)
    if (given.lots === undefined) {
      given.origin = evmAddress
      return
    }
    for (const lot of joinLots(given.lots)) {
      if (lot.from !== undefined) this.#emit([lot], token, undefined, lot.eventIndex, 'escrow')
    }
    given.lots = [{ from: evmAddress, eventIndex, amount: total(given.lots) }]
  }

  /**
   * What is still on its way when the transaction ends did not arrive anywhere.
   * @param isBurned whether the token itself says that this amount was burned
   */
  finish(isBurned: (token: string, amount: string) => boolean): void {
    for (const vault of this.#vaults.values()) {
      const { token, lots } = vault
      if (lots === undefined) continue
      vault.lots = undefined
      const left = lots.filter((lot) => lot.from !== undefined && lot.amount !== ufix64Zero)
      if (left.length === 0) continue
      const type = isBurned(token, total(lots)) ? 'burn' : undefined
      for (const lot of left) {
        this.#emit([lot], token, undefined, lot.eventIndex, type ?? (isEvmAddress(lot.from) ? 'bridge' : 'withdrawal'))
      }
    }
  }

  /** The last state of each vault that an account has or had. Those that came and went in between are left out. */
  vaults(): VaultBalance[] {
    const told: VaultBalance[] = []
    for (const { isTold, token, vault, owner, balance, eventIndex } of this.#vaults.values()) {
      if (isTold) told.push({ token, vault, owner, balance, eventIndex })
    }
    return told
  }

  #vault(token: string, uuid: string): Vault {
    let vault = this.#vaults.get(uuid)
    if (vault === undefined) this.#vaults.set(uuid, (vault = new Vault(token, uuid)))
    return vault
  }

  /** A vault on its way turns out to lie in an account: what is of others has arrived there. */
  #arrive(vault: Vault, owner: string, eventIndex: number): void {
    const moved = (vault.lots ?? []).filter((lot) => lot.from !== owner)
    vault.lots = undefined
    this.#emit(moved, vault.token, owner, eventIndex)
  }

  #emit(lots: readonly Lot[], token: string, to: string | undefined, eventIndex: number, given?: TransferType): void {
    for (const { from, amount } of lots.length < 2 ? lots : joinLots(lots)) {
      // An empty vault that comes from nowhere says nothing.
      if (from === undefined && amount === ufix64Zero) continue
      const type = given ?? (from === undefined ? 'deposit' : isEvmAddress(from) ? 'bridge' : 'transfer')
      this.transfers.push({ eventIndex, token, from, to, amount, type })
    }
  }
}

/** The chain's own words on a vault. */
function tell(vault: Vault, owner: string | undefined, balance: string, eventIndex: number): void {
  if (owner === undefined && vault.isMade) return
  vault.isMade = false
  vault.isTold = true
  vault.owner = owner
  vault.origin = owner ?? vault.origin
  vault.balance = balance
  vault.eventIndex = eventIndex
}

function markGone(vault: Vault, eventIndex: number): void {
  tell(vault, undefined, ufix64Zero, eventIndex)
  vault.origin = undefined
}

function addLots(vault: Vault, lots: Lot[]): void {
  if (vault.lots === undefined) vault.lots = lots
  else for (const lot of lots) vault.lots.push(lot)
}

/**
 * Takes `amount` out of what a vault carries, the oldest first. What it lacks was in it before.
 */
function takeLots(vault: Vault, amount: string, eventIndex: number): Lot[] {
  const { lots } = vault
  if (lots === undefined) return [{ from: vault.origin, eventIndex, amount }]
  const [only] = lots
  if (lots.length === 1 && only?.amount === amount) {
    vault.lots = undefined
    return lots
  }
  let wanted = ufix64Units(amount)
  const taken: Lot[] = []
  let whole = 0
  for (const lot of lots) {
    const held = ufix64Units(lot.amount)
    if (held > wanted) break
    taken.push(lot)
    wanted -= held
    whole++
  }
  const next = lots[whole]
  if (next === undefined) {
    vault.lots = undefined
    if (wanted > 0n) taken.push({ from: vault.origin, eventIndex, amount: ufix64Text(wanted) })
    return taken
  }
  lots.splice(0, whole)
  if (wanted > 0n) {
    taken.push({ ...next, amount: ufix64Text(wanted) })
    lots[0] = { ...next, amount: ufix64Text(ufix64Units(next.amount) - wanted) }
  }
  return taken
}

/** One lot for each account, in the order in which they first come. */
function joinLots(lots: readonly Lot[]): readonly Lot[] {
  if (lots.length < 2) return lots
  const joined = new Map<string | undefined, Lot>()
  for (const lot of lots) {
    const other = joined.get(lot.from)
    if (other === undefined) joined.set(lot.from, lot)
    else joined.set(lot.from, { ...other, amount: ufix64Text(ufix64Units(other.amount) + ufix64Units(lot.amount)) })
  }
  return [...joined.values()]
}

function total(lots: readonly Lot[]): string {
  const [only] = lots
  if (lots.length === 1 && only !== undefined) return only.amount
  return ufix64Text(lots.reduce((sum, lot) => sum + ufix64Units(lot.amount), 0n))
}

/** EVM addresses have 20 bytes, Flow addresses 8. */
export function isEvmAddress(address: string | undefined): boolean {
  return address?.length === 42
}
