/** What the editor's services say over HTTP and the channel, as far as the page reads it. */

export type Network = 'mainnet' | 'testnet' | 'emulator'

/** `GET /editor/settings`: open to all. */
export interface EditorSettings {
  /** Where the editor is at home, without a slash at its end. */
  readonly url: string
  /** WebSocket address of the language server channel. */
  readonly lsp_url: string
  readonly networks: readonly NetworkSettings[]
  readonly language_server: { readonly kind: 'cli' | 'parser'; readonly label: string }
  /** Null: nobody can sign in, and projects stay in the browser. */
  readonly wallet: WalletPlace | null
  readonly github?: { readonly is_on: boolean; readonly install_url: string | null }
  readonly samples: readonly Sample[]
  readonly limits: Limits
}

export interface NetworkSettings {
  readonly network: Network
  /** REST API of an access node, without a slash at its end. */
  readonly api_url: string
  readonly is_default?: boolean
}

export interface WalletPlace {
  readonly url: string
  readonly gotrue_url: string
  /** The page that asks whether to sign in, and where its code is traded for a session. */
  readonly authorize_url: string
  readonly token_url: string
  /** A path of the editor. */
  readonly session_url: string
  readonly client_id: string
}

/** A script that is known to give an answer. */
export interface Sample {
  readonly name: string
  readonly title: string
  readonly code: string
  /** JSON-CDC values. */
  readonly arguments: readonly unknown[]
}

export interface Limits {
  readonly files: number
  readonly file_bytes: number
  readonly project_bytes: number
}

/** `/projects/list` */
export interface ProjectRow {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly network: Network
  readonly is_public: boolean
  readonly updated_at: string
  readonly version?: number
}

export interface ProjectPage {
  readonly projects: readonly ProjectRow[]
  /** Undefined or null: these were the last. */
  readonly next_cursor?: string | null
}

/** The project of `/projects/get`. */
export interface StoredProject extends ProjectRow {
  readonly version: number
  readonly isOwner: boolean
  readonly active_file: string | null
  readonly open_files: readonly string[]
  readonly folders: readonly string[]
  readonly forked_from?: { readonly slug: string; readonly name: string } | null
}

export interface StoredFile {
  readonly path: string
  readonly content: string
}

export interface OpenedProject {
  readonly project: StoredProject
  readonly files: readonly StoredFile[]
}

/** What `/projects/save` is given. Files that are not named stay as they are. */
export interface SaveRequest {
  readonly save_id: string
  readonly id?: string
  readonly version?: number
  /** Slug of what a new project is a copy of. */
  readonly forked_from?: string
  readonly name: string
  readonly network: Network
  readonly is_public: boolean
  readonly active_file: string | null
  readonly open_files: readonly string[]
  readonly folders: readonly string[]
  readonly files: readonly StoredFile[]
  readonly deleted_files: readonly string[]
}

export interface SaveAnswer {
  readonly id: string
  readonly slug: string
  readonly version: number
  readonly updated_at: string
}
