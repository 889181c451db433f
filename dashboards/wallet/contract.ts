import type { FlowChain } from '../../clients/signing/transactions/transaction-scripts.ts'

/** What the wallet says over HTTP, as far as the page reads it. */

export type Network = 'mainnet' | 'testnet'

/** `GET /wallet/settings`: open to all. */
export interface WalletSettings {
  /** Where the wallet is at home: passkeys work there. */
  readonly url: string
  readonly rp_id: string
  readonly rp_name: string
  readonly gotrue_url: string
  readonly passkey_auth_url: string
  readonly cookie_domain: string | null
  /** Programs that people sign in to here. */
  readonly clients: readonly ClientSettings[]
  readonly networks: readonly NetworkSettings[]
}

export interface ClientSettings {
  readonly client_id: string
  readonly name: string
  readonly redirect_uri: string
}

export interface NetworkSettings {
  readonly network: Network
  /** Whether somebody pays for new accounts. */
  readonly makes_accounts: boolean
  /** The explorer's page, without a slash at its end. */
  readonly explorer_url: string | null
  /** Whether `/explorer/*` here answers about this network. */
  readonly has_explorer_api: boolean
}

/** `/passkeys/list` */
export interface PasskeyRow {
  readonly id: string
  readonly authenticatorName: string | null
  readonly deviceType: 'singleDevice' | 'multiDevice'
  readonly backedUp: boolean
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** As accounts on the chain have it: 130 hex digits, with 04 in front. */
  readonly publicKeySec1Hex: string
}

/** How far the account of a passkey is on a network. */
export interface AccountStanding {
  readonly state: 'wanted' | 'sent' | 'sealed' | 'failed' | 'refused'
  readonly address?: string
  readonly keyIndex?: number
  readonly txId?: string
  readonly error?: { readonly code: string; readonly message: string; readonly mayRetry: boolean }
}

/** `/wallet/accounts`: what is a passkey's own, and one row for each further account that it is a key of. */
export interface AccountRow {
  readonly credentialId: string
  readonly publicKeySec1Hex: string
  readonly flowAddress: string | null
  readonly flowAddressTestnet: string | null
  readonly networks?: Readonly<Partial<Record<Network, AccountStanding>>>
  readonly isFurther?: boolean
}

/** `/passkeys/activity` */
export interface ActivityRow {
  readonly at: string
  readonly event: string
  /** False: it was refused. */
  readonly done: boolean
  readonly ip: string | null
  readonly userAgent: string | null
}

/** `GET /chain/{network}` */
export interface ChainHead {
  readonly chain: FlowChain
  readonly block: { readonly id: string; readonly height: number }
}

/** `GET /chain/{network}/accounts/{address}` */
export interface ChainAccount {
  readonly address: string
  /** FLOW, 8 decimals. */
  readonly balance: string
  readonly keys: readonly ChainKey[]
}

export interface ChainKey {
  readonly index: number
  /** 128 hex digits. */
  readonly public_key: string
  readonly signature_algorithm: string
  readonly hash_algorithm: string
  readonly weight: number
  readonly is_revoked: boolean
  readonly sequence_number: string
}

/** `GET /chain/{network}/transactions/{id}` */
export interface ChainResult {
  readonly status: 'UNKNOWN' | 'PENDING' | 'FINALIZED' | 'EXECUTED' | 'SEALED' | 'EXPIRED'
  readonly is_failed: boolean
  readonly error: string | null
}
