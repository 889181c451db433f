import type { FlowChain } from '../../clients/signing/transactions/transaction-scripts.ts'
import type { Answers, ChainAccount, NetworkSettings } from './answers.gen.ts'

export type Network = NetworkSettings['network']
export type ChainHead = Answers['/chain/{network}'] & { readonly chain: FlowChain }
export type ChainKey = ChainAccount['keys'][number]

/** Response item of `/passkeys/list`. */
export interface PasskeyRow {
  readonly id: string
  readonly authenticatorName: string | null
  readonly deviceType: 'singleDevice' | 'multiDevice'
  readonly backedUp: boolean
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** 130 hex digits, with 04 in front. */
  readonly publicKeySec1Hex: string
}

export interface AccountStanding {
  readonly state: 'wanted' | 'sent' | 'sealed' | 'failed' | 'refused'
  readonly address?: string
  readonly keyIndex?: number
  readonly txId?: string
  readonly error?: { readonly code: string; readonly message: string; readonly mayRetry: boolean }
}

/** Response item of `/wallet/accounts`: also further accounts that the passkey is a key of. */
export interface AccountRow {
  readonly credentialId: string
  readonly publicKeySec1Hex: string
  readonly flowAddress: string | null
  readonly flowAddressTestnet: string | null
  readonly networks?: Readonly<Partial<Record<Network, AccountStanding>>>
  readonly isFurther?: boolean
}

/** Response item of `/passkeys/activity`. */
export interface ActivityRow {
  readonly at: string
  readonly event: string
  readonly done: boolean
  readonly ip: string | null
  readonly userAgent: string | null
}

/** Response item of `/wallet/contacts`. */
export interface ContactRow {
  readonly id: string
  readonly name: string
  readonly address: string
  readonly addedAt: string
}

export interface AssetLimit {
  /** FLOW, or the type of a vault. */
  readonly asset: string
  /** Of 10^-8. */
  readonly units: string
}

export interface AppPolicy {
  readonly origin: string
  /** Per day (UTC) and network. */
  readonly limits: readonly AssetLimit[]
  /** Empty: other code may import any contract. */
  readonly contracts: readonly string[]
  readonly other: 'ask' | 'refuse'
}

/** Response item of `/policies/list`. */
export interface PolicyRow extends AppPolicy {
  /** Today. */
  readonly spent: readonly (AssetLimit & { readonly network: Network })[]
}

/** Response of `/policies/check` and `/policies/count`. */
export interface PolicyDecision {
  readonly decision: 'none' | 'within' | 'ask' | 'over' | 'refuse'
  readonly limit: string | null
  readonly left: string | null
}

/** Response item of `/account/sessions`. */
export interface SessionRow {
  readonly id: string
  readonly method: string
  /** Such as editor; null: the wallet. */
  readonly program: string | null
  readonly from: string | null
  readonly userAgent: string | null
  readonly signedInAt: string
  readonly lastUsedAt: string
  readonly isCurrent: boolean
}

/** Response of `/account/projects`. */
export interface LinkedProjects {
  readonly count: number
  readonly projects: readonly {
    readonly slug: string
    readonly name: string
    readonly network: string
    readonly isPublic: boolean
    readonly updatedAt: string
    readonly repository: string | null
    readonly deployKeys: readonly { readonly environment: string; readonly address: string | null }[]
  }[]
}

export interface ApiKeyRow {
  readonly id: number
  readonly prefix: string
  readonly name: string
  readonly tier: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** Response of `/account/keys`. */
export interface DeveloperAccess {
  readonly keys: readonly ApiKeyRow[]
  readonly webhooks: readonly {
    readonly id: number
    readonly url: string
    readonly subscriptions: number
    readonly isPaused: boolean
  }[]
}

/** Response item of `/security/log`. */
export interface SecurityRow {
  readonly at: string
  readonly source: 'passkey' | 'session' | 'account' | 'signature'
  readonly event: string
  readonly done: boolean
  readonly from: string | null
  readonly origin: string | null
  readonly userAgent: string | null
  readonly credentialId: string | null
  readonly detail: string | null
  readonly address: string | null
}
