import type { FungibleTransfer, TransferType, Untyped, VaultBalance } from './token-moves.ts'
import { ufix64Text, ufix64Units, ufix64Zero } from './ufix64.ts'

export interface VaultWithdrawn {
  readonly eventIndex: number
  readonly token: string
  readonly amount: string
  /** Undefined if the vault is in no account. */
  readonly from: string | undefined
  readonly fromVault: string
  readonly withdrawnVault: string
  readonly balanceAfter: string
}

export interface VaultDeposited {
  readonly eventIndex: number
  readonly token: string
  readonly amount: string
  /** Undefined if the vault is in no account. */
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

interface Lot {
  readonly from: string | undefined
  readonly eventIndex: number
  readonly amount: string
}

class Vault {
  readonly token: string
  readonly vault: string
  owner: string | undefined
  balance = ufix64Zero
  eventIndex = 0
  /** Where the vault was last seen, or EVM. */
  origin: string | undefined
  /** Undefined while it is not in transit. */
  lots: Lot[] | undefined
  hasReportedBalance = false
  /** Created by a withdrawal here: its state is irrelevant until it is in an account. */
  isCreated = false
  /** The content is in EVM now; the bridge handles the rest. */
  isBridged = false

  constructor(token: string, vault: string) {
    this.token = token
    this.vault = vault
  }
}

/**
 * Tracks vaults by uuid. A withdrawn vault carries lots: amounts with the account that they left.
 * Withdrawing from it takes its oldest lots, depositing into it adds lots, and depositing it into a
 * vault in an account delivers them. The departed amount equals the arrived one, plus burned or retained
 * amounts, minus new ones.
 *
 * Uses events of FungibleToken only, which every vault emits. Source: onflow/flow-ft
 * `contracts/FungibleToken.cdc` (post-conditions of `withdraw` and `deposit`, `burnCallback`);
 * onflow/flow-evm-bridge `cadence/contracts/bridge/interfaces/IFlowEVMTokenBridge.cdc`.
 */
export class FungibleFlow {
  readonly transfers: Untyped<FungibleTransfer>[] = []
  readonly #vaults = new Map<string, Vault>()

  withdrawn(event: VaultWithdrawn): void {
    const { eventIndex, token, amount, from, fromVault, withdrawnVault, balanceAfter } = event
    const source = this.#vault(token, fromVault)
    let lots: Lot[]
    if (from === undefined) lots = takeLots(source, amount, eventIndex)
    else {
      // Storing it in this account emitted no event.
      if (source.lots !== undefined) this.#arrive(source, from, eventIndex)
      lots = [{ from, eventIndex, amount }]
    }
    recordBalance(source, from, balanceAfter, eventIndex)
    const made = this.#vault(token, withdrawnVault)
    addLots(made, lots)
    made.isCreated = true
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
    recordBalance(target, to, balanceAfter, eventIndex)
  }

  burned({ eventIndex, token, amount, vault }: VaultBurned): void {
    const burned = this.#vault(token, vault)
    const lots = takeLots(burned, amount, eventIndex)
    // Tokens sent to EVM are destroyed here without being burned.
    if (!burned.isBridged) this.#emit(lots, token, undefined, eventIndex, 'burn')
    markGone(burned, eventIndex)
  }

  enteredEvm(eventIndex: number, token: string, amount: string, vault: string, evmAddress: string): void {
    const given = this.#vault(token, vault)
    this.#emit(takeLots(given, amount, eventIndex), token, evmAddress, eventIndex, 'bridge')
    markGone(given, eventIndex)
    given.isBridged = true
  }

  leftEvm(eventIndex: number, token: string, amount: string, vault: string, evmAddress: string): void {
    const made = this.#vault(token, vault)
    addLots(made, [{ from: evmAddress, eventIndex, amount }])
    made.isCreated = true
  }

  /** Minted or released by the bridge for tokens from EVM. */
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
   * Tokens still in transit did not arrive.
   *
   * @param isBurned whether the token emitted a burn of this amount
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

  /** Without temporary vaults. */
  vaults(): VaultBalance[] {
    const reported: VaultBalance[] = []
    for (const { hasReportedBalance, token, vault, owner, balance, eventIndex } of this.#vaults.values()) {
      if (hasReportedBalance) reported.push({ token, vault, owner, balance, eventIndex })
    }
    return reported
  }

  #vault(token: string, uuid: string): Vault {
    let vault = this.#vaults.get(uuid)
    if (vault === undefined) this.#vaults.set(uuid, (vault = new Vault(token, uuid)))
    return vault
  }

  /** The vault turns out to be in an account: lots of others have arrived there. */
  #arrive(vault: Vault, owner: string, eventIndex: number): void {
    const moved = (vault.lots ?? []).filter((lot) => lot.from !== owner)
    vault.lots = undefined
    this.#emit(moved, vault.token, owner, eventIndex)
  }

  #emit(lots: readonly Lot[], token: string, to: string | undefined, eventIndex: number, given?: TransferType): void {
    for (const { from, amount } of lots.length < 2 ? lots : joinLots(lots)) {
      // An empty vault without a source is not a transfer.
      if (from === undefined && amount === ufix64Zero) continue
      const type = given ?? (from === undefined ? 'deposit' : isEvmAddress(from) ? 'bridge' : 'transfer')
      this.transfers.push({ eventIndex, token, from, to, amount, type })
    }
  }
}

function recordBalance(vault: Vault, owner: string | undefined, balance: string, eventIndex: number): void {
  if (owner === undefined && vault.isCreated) return
  vault.isCreated = false
  vault.hasReportedBalance = true
  vault.owner = owner
  vault.origin = owner ?? vault.origin
  vault.balance = balance
  vault.eventIndex = eventIndex
}

function markGone(vault: Vault, eventIndex: number): void {
  recordBalance(vault, undefined, ufix64Zero, eventIndex)
  vault.origin = undefined
}

function addLots(vault: Vault, lots: Lot[]): void {
  if (vault.lots === undefined) vault.lots = lots
  else for (const lot of lots) vault.lots.push(lot)
}

/** Oldest lots first; the rest was in the vault before. */
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

/** One lot per account, in order of first occurrence. */
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
