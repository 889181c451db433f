import { coreContracts } from '../core-contracts.ts'
import type { DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import type { Network } from '../network.ts'
import type { PayloadFields } from '../payload-value.ts'
import { scriptImports } from '../script-imports.ts'
import {
  amountField, evmAddressField, FieldShapeError, optionalAddressField, tokenField, uint64Field, uuidField,
} from '../event-fields.ts'
import { markFees } from './fees.ts'
import type { FeeEvent } from './fees.ts'
import { FungibleFlow } from './fungible-flow.ts'
import { NonFungibleFlow } from './non-fungible-flow.ts'
import { oldBalanceChanges, oldFungibleTransfers } from './old-fungible-flow.ts'
import type { OldVaultEvent } from './old-fungible-flow.ts'
import { tokenEventKinds } from './token-event-kind.ts'
import type { TokenEventKind } from './token-event-kind.ts'
import { contractOf } from './token-id.ts'
import { noTokenMoves } from './token-moves.ts'
import type { BalanceChange, FungibleTransfer, NonFungibleTransfer, TokenMoves, TokenProblem } from './token-moves.ts'

/**
 * Everything that a transaction did to tokens. Where a contract emits its own events beside those of the standards, the
 * standards' count and its own do not; where it emits only its own, as all did before Cadence 1.0, those count.
 * An event of a standard that is not of the standard's shape becomes a problem and moves nothing.
 */
export function readTokenMoves(transaction: DecodedTransaction, network: Network): TokenMoves {
  return new Reader(transaction, network).read()
}

class Reader {
  readonly #transaction: DecodedTransaction
  readonly #flowToken: string
  readonly #burner: string
  readonly #kindOf: (type: string) => TokenEventKind | undefined
  readonly #fungible = new FungibleFlow()
  readonly #nonFungible = new NonFungibleFlow()
  /** Looked at in the end, when it is known of which tokens the standards' events tell: most need no decoding. */
  readonly #old: { readonly kind: TokenEventKind; readonly event: DecodedEvent }[] = []
  readonly #oldVaults: OldVaultEvent[] = []
  /** Tokens of which the standards' own events tell. */
  readonly #standardTokens = new Set<string>()
  readonly #minting = new Set<string>()
  readonly #burning = new Set<string>()
  readonly #burntAmounts = new Map<string, string[]>()
  /** Tokens of which the standard's event tells what was burned. */
  readonly #toldBurns = new Set<string>()
  #burnsByScript: boolean | undefined
  readonly #fees: FeeEvent[] = []
  readonly #problems: TokenProblem[] = []

  constructor(transaction: DecodedTransaction, network: Network) {
    this.#transaction = transaction
    this.#flowToken = `A.${coreContracts(network).flowToken}.FlowToken`
    this.#burner = coreContracts(network).burner
    this.#kindOf = tokenEventKinds(network)
  }

  read(): TokenMoves {
    let isAny = false
    for (const event of this.#transaction.events) {
      const kind = this.#kindOf(event.type)
      if (kind === undefined) continue
      isAny = true
      if (kind === 'own-minted') this.#minting.add(contractOf(event.type))
      else if (kind === 'own-burned') this.#burning.add(contractOf(event.type))
      else if (kind.startsWith('old-')) this.#old.push({ kind, event })
      else this.#accept(kind, event)
    }
    return isAny ? this.#finish() : noTokenMoves
  }

  #accept(kind: TokenEventKind, event: DecodedEvent): void {
    const { fields } = event
    // Ingest has logged those that could not be decoded.
    if (fields === undefined) return
    try {
      if (kind.startsWith('old-')) this.#acceptOld(kind, event, fields)
      else this.#acceptStandard(kind, event, fields)
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      this.#problems.push({
        eventIndex: event.index, eventType: event.type, code: 'token-event-shape', message: error.message,
      })
    }
  }

  #acceptStandard(kind: TokenEventKind, { index: eventIndex, type }: DecodedEvent, fields: PayloadFields): void {
    switch (kind) {
      case 'ft-withdrawn':
        this.#fungible.withdrawn({
          eventIndex, token: this.#standardToken(fields), amount: amountField(fields),
          from: optionalAddressField(fields, 'from'), fromVault: uuidField(fields, 'fromUUID'),
          withdrawnVault: uuidField(fields, 'withdrawnUUID'), balanceAfter: amountField(fields, 'balanceAfter'),
        })
        break
      case 'ft-deposited':
        this.#fungible.deposited({
          eventIndex, token: this.#standardToken(fields), amount: amountField(fields),
          to: optionalAddressField(fields, 'to'), toVault: uuidField(fields, 'toUUID'),
          depositedVault: uuidField(fields, 'depositedUUID'), balanceAfter: amountField(fields, 'balanceAfter'),
        })
        break
      case 'ft-burned':
        this.#ftBurned(eventIndex, fields)
        break
      case 'evm-flow-deposited':
        this.#fungible.enteredEvm(
          eventIndex, this.#flowToken, amountField(fields), uuidField(fields, 'depositedUUID'),
          evmAddressField(fields, 'address'),
        )
        break
      case 'evm-flow-withdrawn':
        this.#fungible.leftEvm(
          eventIndex, this.#flowToken, amountField(fields), uuidField(fields, 'withdrawnUUID'),
          evmAddressField(fields, 'address'),
        )
        break
      case 'nft-withdrawn':
        this.#nonFungible.withdrawn(eventIndex, {
          token: this.#standardToken(fields), id: uint64Field(fields, 'id'), uuid: uuidField(fields, 'uuid'),
        }, optionalAddressField(fields, 'from'))
        break
      case 'nft-deposited':
        this.#nonFungible.deposited(eventIndex, {
          token: this.#standardToken(fields), id: uint64Field(fields, 'id'), uuid: uuidField(fields, 'uuid'),
        }, optionalAddressField(fields, 'to'))
        break
      case 'nft-destroyed':
        this.#nonFungible.destroyed(eventIndex, uint64Field(fields, 'id'), uuidField(fields, 'uuid'))
        break
      case 'tokens-burned':
        this.#tokensBurned(type, fields)
        break
      case 'fees-deducted':
        this.#fees.push({ eventIndex, amount: amountField(fields), isDeduction: true })
        break
      case 'fees-deposited':
        this.#fees.push({ eventIndex, amount: amountField(fields), isDeduction: false })
        break
      default:
        break
    }
  }

  #ftBurned(eventIndex: number, fields: PayloadFields): void {
    const token = this.#standardToken(fields)
    const [amount, vault] = [amountField(fields), uuidField(fields, 'fromUUID')]
    this.#fungible.burned({ eventIndex, token, amount, vault })
    this.#toldBurns.add(contractOf(token))
  }

  /** Contracts may emit what they like under these names: only the shape of the old standards makes a token event. */
  #acceptOld(kind: TokenEventKind, { index: eventIndex, type }: DecodedEvent, fields: PayloadFields): void {
    const isDeposit = kind.endsWith('-deposited')
    const side = isDeposit ? 'to' : 'from'
    const isFungible = kind.startsWith('old-ft-')
    if (!(side in fields) || !((isFungible ? 'amount' : 'id') in fields) || Object.keys(fields).length !== 2) return
    const token = contractOf(type)
    const party = optionalAddressField(fields, side)
    if (isFungible) {
      this.#oldVaults.push({ eventIndex, token, isDeposit, amount: amountField(fields), party })
      return
    }
    const item = { token, id: uint64Field(fields, 'id'), uuid: undefined }
    if (isDeposit) this.#nonFungible.deposited(eventIndex, item, party)
    else this.#nonFungible.withdrawn(eventIndex, item, party)
  }

  #standardToken(fields: PayloadFields): string {
    const token = tokenField(fields)
    this.#standardTokens.add(contractOf(token))
    return token
  }

  #tokensBurned(type: string, fields: PayloadFields): void {
    const contract = contractOf(type)
    const { amount } = fields
    if (typeof amount !== 'string') return
    const amounts = this.#burntAmounts.get(contract)
    if (amounts === undefined) this.#burntAmounts.set(contract, [amount])
    else amounts.push(amount)
  }

  #finish(): TokenMoves {
    this.#fungible.finish((token, amount) => this.#isBurnt(token, amount))
    const old = this.#finishOld()
    this.#nonFungible.finish()
    const fungible = inOrder([...this.#fungible.transfers, ...old.transfers])
    const nonFungible = inOrder(this.#nonFungible.transfers)
    // Since Cadence 1.0 other deposits to FlowFees are told alike: what scheduled transactions paid for in advance.
    const fees = this.#standardTokens.has(this.#flowToken) ? this.#fees.filter((fee) => fee.isDeduction) : this.#fees
    markFees(fungible, fees, this.#flowToken)
    for (const transfer of fungible) {
      if (transfer.type === 'deposit' && this.#minting.has(contractOf(transfer.token))) transfer.type = 'mint'
    }
    for (const transfer of nonFungible) this.#nameReason(transfer)
    return {
      fungible, nonFungible, vaults: this.#fungible.vaults(), changes: old.changes, problems: this.#problems,
    }
  }

  #finishOld(): { transfers: FungibleTransfer[]; changes: BalanceChange[] } {
    for (const { kind, event } of this.#old) {
      if (!this.#standardTokens.has(contractOf(event.type))) this.#accept(kind, event)
    }
    const transfers: FungibleTransfer[] = []
    const changes: BalanceChange[] = []
    for (const ofToken of Map.groupBy(this.#oldVaults, ({ token }) => token).values()) {
      for (const transfer of oldFungibleTransfers(ofToken)) {
        if (transfer.type === 'withdrawal' && this.#isBurnt(transfer.token, transfer.amount)) transfer.type = 'burn'
        transfers.push(transfer)
      }
      changes.push(...oldBalanceChanges(ofToken))
    }
    return { transfers, changes }
  }

  /**
   * Whether this amount, which left and did not arrive, was burned. Where the token tells of burns by its own event,
   * each such event answers for one. Where neither it nor the standard does, as is so with FLOW, the script tells: what
   * burns has to import Burner.
   */
  #isBurnt(token: string, amount: string): boolean {
    const contract = contractOf(token)
    const amounts = this.#burntAmounts.get(contract)
    if (amounts === undefined) return !this.#toldBurns.has(contract) && this.#isBurningScript()
    const at = amounts.indexOf(amount)
    if (at >= 0) amounts.splice(at, 1)
    return at >= 0
  }

  #isBurningScript(): boolean {
    return (this.#burnsByScript ??= scriptImports(this.#transaction.script).some(
      ({ name, address = this.#burner }) => name === 'Burner' && address === this.#burner,
    ))
  }

  #nameReason(transfer: NonFungibleTransfer): void {
    if (transfer.token === undefined) return
    const contract = contractOf(transfer.token)
    if (transfer.type === 'deposit' && this.#minting.has(contract)) transfer.type = 'mint'
    else if (transfer.type === 'withdrawal' && this.#burning.has(contract)) transfer.type = 'burn'
  }
}

function inOrder<T extends { readonly eventIndex: number }>(transfers: T[]): T[] {
  return transfers.sort((a, b) => a.eventIndex - b.eventIndex)
}
