import type { Network } from '../contract.ts'

/** An account at GitHub that the App is installed for. */
export interface Installation {
  readonly installation_id: number
  readonly account: string
  readonly is_suspended: boolean
}

export interface Repository {
  readonly id: number
  readonly full_name: string
  readonly owner: string
  readonly name: string
  readonly default_branch: string
  readonly private: boolean
}

/** Where the browser goes to. */
export interface WayToGitHub {
  /** To install the App, or to choose repositories. */
  readonly url: string
  /** Where the App is installed already. */
  readonly authorize_url: string
}

export interface Connection {
  readonly project_id: string
  readonly owner: string
  readonly repo: string
  /** Folder of the repository that is the project; empty for all of it. */
  readonly path: string
  readonly branch: string
  readonly network: Network
  readonly workflow_path: string | null
  readonly is_on: boolean
  /** Why it is off, in one word. */
  readonly off_reason: string | null
}

export interface ConnectRequest {
  readonly project_id: string
  readonly installation_id: number
  readonly owner: string
  readonly repo: string
  readonly path: string
  readonly branch: string
  readonly network: Network
}

export interface TreeEntry {
  /** From the top of the repository. */
  readonly path: string
  /** `file`, `dir`, `symlink` or `submodule`. */
  readonly type: string
  readonly sha: string
}

export interface FileChange {
  /** Below the folder of the connection. */
  readonly path: string
  /** Undefined for what is deleted. */
  readonly content?: string
  readonly action: 'put' | 'delete'
}

export interface Committed {
  readonly sha: string
  readonly url: string
}

/** A branch that is deployed to an account. */
export interface DeployEnvironment {
  readonly name: string
  readonly branch: string
  readonly network: Network
  readonly flow_address: string | null
  readonly secrets_configured: boolean
}

/** The key of an account that deploys. */
export interface DeployKey {
  readonly environment_name: string
  readonly flow_address: string
  /** Hex digits. Sent only sealed. */
  readonly privateKey: string
  readonly flow_key_index: number
}

export interface Deployment {
  readonly id: string
  /** `queued`, `in_progress` or `completed`. */
  readonly status: string
  /** `success` or why not; null while it runs. */
  readonly conclusion: string | null
  readonly commit_sha: string
  readonly branch: string
  readonly environment: string | null
  readonly logs_url: string | null
  readonly message: string | null
  readonly author: string | null
  readonly created_at: string
}
