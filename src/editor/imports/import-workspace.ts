import type { EditorNetwork } from '../editor-network.ts'

/** Documents cannot be there. */
export const contractFolder = '_'

export interface PreparedText {
  /** Line numbers are preserved, and columns up to the end of the original line. */
  readonly text: string
  /** Missing or outdated. */
  readonly missing: readonly ContractName[]
}

export interface ContractName {
  /** 16 hex digits. */
  readonly address: string
  readonly name: string
}

/** LSP range: zero-based, UTF-16 units, end exclusive. */
export interface TextRange {
  readonly start: { readonly line: number; readonly character: number }
  readonly end: { readonly line: number; readonly character: number }
}

/** The first line of the contract in the file counts from 0. */
export interface ContractAt {
  readonly contract: ContractName
  readonly firstLine: number
}

/** Lines of a contract are those of its own code. */
export type DefinitionPlace =
  | { readonly contract: ContractName; readonly range: TextRange }
  | { readonly document: string; readonly range: TextRange }

export interface ResolvedContract extends ContractName {
  readonly code: string
}

/** The folder of one connection, with `flow.json` and imported contracts. */
export interface ImportWorkspace {
  /** Exclusive to the connection. */
  readonly folder: string
  /** Increases when other documents must be prepared and checked again. */
  readonly generation?: number
  /**
   * Returns the text to check. @throws ApiError 400 `invalid-path`, 413 `too-many-documents`,
   * `too-many-imports`, `document-too-large`, 409 `path-taken`
   */
  prepare(path: string, text: string): Promise<PreparedText>
  /** @throws RetryableError if no node is available */
  fetch(contract: ContractName, signal: AbortSignal): Promise<ResolvedContract | undefined>
  /** @param file relative path or URI, below `_/`. @param line zero-based */
  describe?(file: string, line: number): ContractAt | undefined
  /**
   * The CLI's checker returns the URI of the requesting document, and a wrong or no line for
   * contracts. @param range of the server's response
   */
  locate?(path: string, at: TextRange['start'], range: TextRange | undefined): Promise<DefinitionPlace | undefined>
  /** Direct and indirect, in the order of checking: a checker caches types of checked files. */
  importersOf?(path: string): string[]
  remove(path: string): Promise<void>
  close(): Promise<void>
}

export interface ImportWorkspaces {
  open(network: EditorNetwork): Promise<ImportWorkspace>
  close(): Promise<void>
}
