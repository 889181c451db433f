import { noTokenMoves } from './token-moves.ts'
import type {
  FungibleTransfer,
  Untyped,
  BalanceChange,
  NonFungibleTransfer,
  TokenMoves,
  TokenProblem,
} from './token-moves.ts'
import { coreContracts } from '../core-contracts.ts'
import type { DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import type { Network } from '../network.ts'
import type { PayloadFields } from '../payload-value.ts'
import { scriptImports } from '../code/script-imports.ts'
import {
  amountField,
  evmAddressField,
  FieldShapeError,
  optionalAddressField,
  tokenField,
  uint64Field,
  uuidField,
} from '../event-fields.ts'
import { FungibleFlow } from './fungible-flow.ts'
import { NonFungibleFlow } from './non-fungible-flow.ts'
import type { Item } from './non-fungible-flow.ts'
import { oldBalanceChanges, oldFungibleTransfers } from './old-fungible-flow.ts'
import type { OldVaultEvent } from './old-fungible-flow.ts'
import { ContractClaims } from './contract-claims.ts'
import { setStakingTypes } from './staking.ts'
import type { StakingEvent } from './staking.ts'
import { tokenEventKinds } from './token-event-kind.ts'
import type { StakingEventKind, TokenEventKind } from './token-event-kind.ts'
import { contractOf } from './token-id.ts'
import { isUfix64 } from './ufix64.ts'

export interface FeeEvent {
  readonly eventIndex: number
  readonly amount: string
  /** `FeesDeducted`, since March 2022; before, only `FlowFees.TokensDeposited`. */
  readonly isDeduction: boolean
}

/**
 * For each fee event the last arrival of FLOW before it, if the amounts are equal. Not by receiver:
 * the network rotates fee accounts, and anyone can send the same amount to them. Source:
 * onflow/flow-core-contracts `contracts/FlowFees.cdc`, `deductTransactionFee`.
 *
 * @param transfers in the order of `eventIndex`
 */
export function markFees(
  transfers: readonly Untyped<FungibleTransfer>[],
  fees: readonly FeeEvent[],
  flowToken: string,
): void {
  const hasDeduction = fees.some((fee) => fee.isDeduction)
  for (const { eventIndex, amount, isDeduction } of fees) {
    if (isDeduction !== hasDeduction) continue
    const last = transfers.findLast(
      (transfer) => transfer.eventIndex < eventIndex && transfer.token === flowToken && transfer.to !== undefined,
    )
    if (last?.type === 'transfer' && last.amount === amount) last.type = 'fee'
  }
}

/** Events of a contract itself count only if it has no standard events, as before Cadence 1.0. */
export function readTokenMoves(transaction: DecodedTransaction, network: Network): TokenMoves {
  const kindOf = tokenEventKinds(network)
  let reader: Reader | undefined
  for (const event of transaction.events) {
    const kind = kindOf(event.type)
    if (kind !== undefined) (reader ??= new Reader(transaction, network)).accept(kind, event)
  }
  return reader === undefined ? noTokenMoves : reader.finish()
}

const names = {
  mainnet: namesOn('mainnet'),
  testnet: namesOn('testnet'),
  emulator: namesOn('emulator'),
} as const satisfies Record<Network, ReturnType<typeof namesOn>>

function namesOn(network: Network): { flowToken: string; burner: string; staking: string } {
  const { flowToken, burner, staking } = coreContracts(network)
  return { flowToken: `A.${flowToken}.FlowToken`, burner, staking: `0x${staking}` }
}

class Reader {
  readonly #transaction: DecodedTransaction
  readonly #flowToken: string
  readonly #burner: string
  readonly #stakingAccount: string
  readonly #fungible = new FungibleFlow()
  #nonFungible: NonFungibleFlow | undefined
  /** Processed last: most need no decoding. */
  readonly #old: { readonly kind: TokenEventKind; readonly event: DecodedEvent }[] = []
  readonly #oldVaults: OldVaultEvent[] = []
  readonly #standard = new Set<string>()
  /** Most transactions move one token. */
  #lastToken = ''
  #ownWords: ContractClaims | undefined
  #standardBurns: Set<string> | undefined
  #burnsByScript: boolean | undefined
  readonly #fees: FeeEvent[] = []
  readonly #staking: StakingEvent[] = []
  readonly #problems: TokenProblem[] = []

  constructor(transaction: DecodedTransaction, network: Network) {
    this.#transaction = transaction
    const { flowToken, burner, staking } = names[network]
    this.#flowToken = flowToken
    this.#burner = burner
    this.#stakingAccount = staking
  }

  accept(kind: TokenEventKind, event: DecodedEvent): void {
    switch (kind) {
      case 'old-ft-withdrawn':
      case 'old-ft-deposited':
      case 'old-nft-withdrawn':
      case 'old-nft-deposited':
        if (!this.#standard.has(contractOf(event.type))) this.#old.push({ kind, event })
        break
      case 'own-minted':
        this.#words().minted(event)
        break
      case 'own-burned':
      case 'tokens-burned':
        this.#words().burned(event)
        break
      default:
        this.#read(kind, event)
    }
  }

  finish(): TokenMoves {
    this.#fungible.finish((token, amount) => this.#isBurned(token, amount))
    const changes = this.#finishOld()
    this.#nonFungible?.finish()
    const fungible = inOrder(this.#fungible.transfers)
    const nonFungible = this.#nonFungible === undefined ? [] : inOrder(this.#nonFungible.transfers)
    if (this.#fees.length > 0) this.#markFees(fungible)
    if (this.#ownWords !== undefined) this.#nameReasons(this.#ownWords, fungible, nonFungible)
    if (this.#staking.length > 0) setStakingTypes(fungible, this.#staking, this.#stakingAccount, this.#flowToken)
    return { fungible, nonFungible, vaults: this.#fungible.vaults(), changes, problems: this.#problems }
  }

  #words(): ContractClaims {
    return (this.#ownWords ??= new ContractClaims())
  }

  #items(): NonFungibleFlow {
    return (this.#nonFungible ??= new NonFungibleFlow())
  }

  #read(kind: TokenEventKind, event: DecodedEvent): void {
    const { fields } = event
    // Ingestion has recorded undecodable events.
    if (fields === undefined) return
    try {
      this.#readFields(kind, event, fields)
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      this.#problems.push({
        eventIndex: event.index,
        eventType: event.type,
        code: 'token-event-shape',
        message: error.message,
      })
    }
  }

  #readFields(kind: TokenEventKind, { index, type }: DecodedEvent, fields: PayloadFields): void {
    switch (kind) {
      case 'ft-withdrawn':
        this.#fungible.withdrawn({
          eventIndex: index,
          token: this.#standardToken(fields),
          amount: amountField(fields),
          from: optionalAddressField(fields, 'from'),
          fromVault: uuidField(fields, 'fromUUID'),
          withdrawnVault: uuidField(fields, 'withdrawnUUID'),
          balanceAfter: amountField(fields, 'balanceAfter'),
        })
        break
      case 'ft-deposited':
        this.#fungible.deposited({
          eventIndex: index,
          token: this.#standardToken(fields),
          amount: amountField(fields),
          to: optionalAddressField(fields, 'to'),
          toVault: uuidField(fields, 'toUUID'),
          depositedVault: uuidField(fields, 'depositedUUID'),
          balanceAfter: amountField(fields, 'balanceAfter'),
        })
        break
      case 'fees-deducted':
        this.#fees.push({ eventIndex: index, amount: amountField(fields), isDeduction: true })
        break
      case 'fees-deposited':
        this.#fees.push({ eventIndex: index, amount: amountField(fields), isDeduction: false })
        break
      case 'nft-withdrawn':
        this.#items().withdrawn(index, this.#standardItem(fields), optionalAddressField(fields, 'from'))
        break
      case 'nft-deposited':
        this.#items().deposited(index, this.#standardItem(fields), optionalAddressField(fields, 'to'))
        break
      case 'nft-destroyed':
        this.#items().destroyed(index, uint64Field(fields, 'id'), uuidField(fields, 'uuid'))
        break
      case 'ft-burned':
        this.#ftBurned(index, fields)
        break
      case 'old-ft-withdrawn':
      case 'old-ft-deposited':
      case 'old-nft-withdrawn':
      case 'old-nft-deposited':
        this.#readOld(kind, index, type, fields)
        break
      case 'staking-staked':
      case 'staking-node':
      case 'staking-unstaked':
      case 'staking-reward-withdrawn':
      case 'staking-reward-paid':
        this.#readStaking(kind, index, fields)
        break
      default:
        this.#readCrossing(kind, index, fields)
    }
  }

  #readCrossing(kind: TokenEventKind, index: number, fields: PayloadFields): void {
    switch (kind) {
      case 'evm-flow-deposited':
        this.#fungible.enteredEvm(
          index,
          this.#flowToken,
          amountField(fields),
          uuidField(fields, 'depositedUUID'),
          evmAddressField(fields, 'address'),
        )
        break
      case 'evm-flow-withdrawn':
        this.#fungible.leftEvm(
          index,
          this.#flowToken,
          amountField(fields),
          uuidField(fields, 'withdrawnUUID'),
          evmAddressField(fields, 'address'),
        )
        break
      case 'ft-bridged-to-evm':
        this.#fungible.enteredEvm(
          index,
          tokenField(fields),
          amountField(fields),
          uuidField(fields, 'bridgedUUID'),
          evmAddressField(fields, 'to'),
        )
        break
      case 'ft-bridged-from-evm':
        // The amount is in units of the EVM contract.
        this.#fungible.unlocked(
          index,
          tokenField(fields),
          uuidField(fields, 'bridgedUUID'),
          evmAddressField(fields, 'caller'),
        )
        break
      case 'nft-bridged-to-evm':
        this.#items().enteredEvm(index, this.#standardItem(fields), evmAddressField(fields, 'to'))
        break
      case 'nft-bridged-from-evm':
        this.#items().leftEvm(index, this.#standardItem(fields), evmAddressField(fields, 'caller'))
        break
      default:
        break
    }
  }

  #ftBurned(eventIndex: number, fields: PayloadFields): void {
    const token = this.#standardToken(fields)
    this.#fungible.burned({ eventIndex, token, amount: amountField(fields), vault: uuidField(fields, 'fromUUID') })
    this.#standardBurns ??= new Set()
    this.#standardBurns.add(contractOf(token))
  }

  #readStaking(kind: StakingEventKind, eventIndex: number, fields: PayloadFields): void {
    const amount = amountField(fields, kind === 'staking-node' ? 'amountCommitted' : 'amount')
    this.#staking.push({ eventIndex, kind, amount })
  }

  #readOld(kind: TokenEventKind, eventIndex: number, type: string, fields: PayloadFields): void {
    const isDeposit = kind === 'old-ft-deposited' || kind === 'old-nft-deposited'
    const isFungible = kind === 'old-ft-deposited' || kind === 'old-ft-withdrawn'
    const side = isDeposit ? 'to' : 'from'
    if (!isOldEvent(fields, isFungible ? 'amount' : 'id', side)) return
    const token = contractOf(type)
    const party = optionalAddressField(fields, side)
    if (isFungible) {
      this.#oldVaults.push({ eventIndex, token, isDeposit, amount: amountField(fields), party })
      return
    }
    const item = { token, id: uint64Field(fields, 'id'), uuid: undefined }
    if (isDeposit) this.#items().deposited(eventIndex, item, party)
    else this.#items().withdrawn(eventIndex, item, party)
  }

  #standardToken(fields: PayloadFields): string {
    const token = tokenField(fields)
    if (token === this.#lastToken) return token
    this.#lastToken = token
    this.#standard.add(contractOf(token))
    return token
  }

  #standardItem(fields: PayloadFields): Item {
    return { token: this.#standardToken(fields), id: uint64Field(fields, 'id'), uuid: uuidField(fields, 'uuid') }
  }

  #finishOld(): readonly BalanceChange[] {
    for (const { kind, event } of this.#old) {
      if (!this.#standard.has(contractOf(event.type))) this.#read(kind, event)
    }
    if (this.#oldVaults.length === 0) return []
    const changes: BalanceChange[] = []
    for (const ofToken of Map.groupBy(this.#oldVaults, ({ token }) => token).values()) {
      for (const transfer of oldFungibleTransfers(ofToken)) {
        if (transfer.type === 'withdrawal' && this.#isBurned(transfer.token, transfer.amount)) transfer.type = 'burn'
        this.#fungible.transfers.push(transfer)
      }
      changes.push(...oldBalanceChanges(ofToken))
    }
    return changes
  }

  #markFees(fungible: readonly Untyped<FungibleTransfer>[]): void {
    // Prepaid fees of scheduled transactions have the same events.
    const fees = this.#standard.has(this.#flowToken) ? this.#fees.filter((fee) => fee.isDeduction) : this.#fees
    markFees(fungible, fees, this.#flowToken)
  }

  /**
   * If the token emits burn events, each explains one amount. If neither it nor the standard does,
   * as for FLOW, burns require an import of Burner in the script.
   */
  #isBurned(token: string, amount: string): boolean {
    if (this.#ownWords?.hasBurnEvents(token) === true) return this.#ownWords.isBurned(token, amount)
    return this.#standardBurns?.has(contractOf(token)) !== true && this.#isBurningScript()
  }

  #isBurningScript(): boolean {
    return (this.#burnsByScript ??= scriptImports(this.#transaction.script).some(
      ({ name, address = this.#burner }) => name === 'Burner' && address === this.#burner,
    ))
  }

  #nameReasons(
    words: ContractClaims,
    fungible: readonly Untyped<FungibleTransfer>[],
    nonFungible: readonly Untyped<NonFungibleTransfer>[],
  ): void {
    for (const transfer of fungible) {
      if (transfer.type === 'deposit' && words.isMinted(transfer.token, transfer.amount)) transfer.type = 'mint'
    }
    for (const transfer of nonFungible) {
      const { token, id, type } = transfer
      if (token === undefined) continue
      if (type === 'deposit' && words.isItemMinted(token, id)) transfer.type = 'mint'
      else if (type === 'withdrawal' && words.isItemBurnt(token, id)) transfer.type = 'burn'
    }
  }
}

/** Contracts can emit arbitrary events with the names of the old standards. */
function isOldEvent(fields: PayloadFields, what: 'amount' | 'id', side: 'from' | 'to'): boolean {
  const { [what]: moved, [side]: party } = fields
  if (typeof moved !== 'string' || !(what === 'amount' ? isUfix64(moved) : /^\d{1,20}$/.test(moved))) return false
  const isParty = party === null || (typeof party === 'string' && /^0x[0-9a-f]{16}$/.test(party))
  return isParty && Object.keys(fields).length === 2
}

function inOrder<T extends { readonly eventIndex: number }>(transfers: T[]): T[] {
  let last = -1
  for (const { eventIndex } of transfers) {
    if (eventIndex < last) return transfers.sort((a, b) => a.eventIndex - b.eventIndex)
    last = eventIndex
  }
  return transfers
}

/** Per transaction object, while it is referenced. */
const known = new WeakMap<DecodedTransaction, TokenMoves>()

export function tokenMovesOf(transaction: DecodedTransaction, network: Network): TokenMoves {
  let moves = known.get(transaction)
  if (moves === undefined) {
    moves = readTokenMoves(transaction, network)
    known.set(transaction, moves)
  }
  return moves
}
