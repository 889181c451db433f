import type { WalletNetwork } from '../chain/wallet-network.ts'

/** An account is that of a passkey on a network. */
export interface AccountKey {
  /** base64url. */
  readonly credentialId: string
  readonly network: WalletNetwork
}

/** Why an account was given up. */
export interface AccountFailure {
  /** Lower case, dashes. */
  readonly code: string
  /** For people. */
  readonly text: string
  /** Whether asking again makes another transaction. */
  readonly mayRetry: boolean
}

/** How far an account is: wanted, then sent, then sealed, unless it failed. What expired is wanted again. */
export type AccountState =
  | { readonly state: 'wanted' }
  | { readonly state: 'sent'; readonly transactionId: Buffer }
  /** `address` in text form. `transactionId` made it; undefined: it was there before. */
  | {
      readonly state: 'sealed'
      readonly address: string
      readonly keyIndex: number
      readonly transactionId: Buffer | undefined
      readonly isImported: boolean
    }
  | { readonly state: 'failed'; readonly failure: AccountFailure; readonly transactionId: Buffer | undefined }

export type StoredAccount = AccountKey &
  AccountState & {
    readonly userId: string
    /** Hex, 128 digits. */
    readonly publicKey: string
    /** Transactions that were made since it was last asked for. */
    readonly attempts: number
    readonly createdAt: Date
  }

/** A transaction that is under way. */
export interface OpenTransaction {
  readonly id: Buffer
  readonly submission: Buffer
  readonly payer: string
  readonly keyIndex: number
  readonly sequenceNumber: bigint
  readonly referenceHeight: number
  readonly madeAt: Date
}

/** How a transaction ended, as wallet.payer_transactions has it. */
export type Outcome = 'succeeded' | 'failed' | 'out-of-turn' | 'refused' | 'expired' | 'lost'

/** What an account becomes when its transaction has ended. */
export type NextState =
  | { readonly state: 'wanted' }
  | { readonly state: 'sealed'; readonly address: string; readonly keyIndex: number }
  | { readonly state: 'failed'; readonly failure: AccountFailure }
