import type { Answers, EditorSettings, Requests } from './answers.gen.ts'

export type NetworkSettings = EditorSettings['networks'][number]
export type Network = NetworkSettings['network']
export type WalletSettings = NonNullable<EditorSettings['wallet']>
export type Sample = NonNullable<EditorSettings['samples']>[number]
export type Limits = Pick<EditorSettings['limits'], 'files' | 'file_bytes' | 'project_bytes'>
export type Committed = Answers['POST /github/commit']
export type ConnectRequest = Requests['POST /github/connect']
export type FileChange = Requests['POST /github/commit']['files'][number]

/** Response item of `/projects/list`. */
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
  readonly next_cursor?: string | null
}

interface StoredProject extends ProjectRow {
  readonly version: number
  readonly isOwner: boolean
  readonly active_file: string | null
  readonly side_file?: string | null
  readonly open_files: readonly string[]
  readonly folders: readonly string[]
  readonly forked_from?: { readonly slug: string; readonly name: string } | null
}

export interface StoredFile {
  readonly path: string
  readonly content: string
}

/** Response of `/projects/get`. */
export interface OpenedProject {
  readonly project: StoredProject
  readonly files: readonly StoredFile[]
}

/** Unlisted files stay unchanged. */
export interface SaveRequest {
  readonly save_id: string
  readonly id?: string
  readonly version?: number
  readonly forked_from?: string
  readonly name: string
  readonly network: Network
  readonly is_public: boolean
  readonly active_file: string | null
  readonly side_file: string | null
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
