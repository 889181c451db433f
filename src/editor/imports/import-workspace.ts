import type { EditorNetwork } from '../editor-network.ts'

/** Folder of chain contracts in a connection's folder; documents cannot be there. */
export const contractFolder = '_'

export interface PreparedText {
  /** Keeps line numbers, and columns up to the end of the original text of each line. */
  readonly text: string
  /** Missing or outdated contracts: fetch them in the background. */
  readonly missing: readonly ContractName[]
}

export interface ContractName {
  /** 16 hex digits, without 0x. */
  readonly address: string
  readonly name: string
}

/** LSP range: zero-based, UTF-16 units, end exclusive. */
export interface TextRange {
  readonly start: { readonly line: number; readonly character: number }
  readonly end: { readonly line: number; readonly character: number }
}

/** The contract at a line of a file, and its first line there, zero-based. */
export interface ContractAt {
  readonly contract: ContractName
  readonly firstLine: number
}

/** In a contract of the chain, with lines of its own code, or in a document. */
export type DefinitionPlace =
  | { readonly contract: ContractName; readonly range: TextRange }
  | { readonly document: string; readonly range: TextRange }

export interface ResolvedContract extends ContractName {
  readonly code: string
}

/**
 * What a language server finds on disk for one connection: a folder with `flow.json` and imported
 * contracts, which are shared read-only between connections.
 */
export interface ImportWorkspace {
  /** Absolute; exclusive to the connection. */
  readonly folder: string
  /**
   * Increases when other documents must be prepared and checked again: contracts arrived or
   * changed, or a document declares a contract that others import by name.
   */
  readonly generation?: number
  /**
   * Stores a document for imports by path, and returns the text to check. @param path relative,
   * such as `contracts/A.cdc`. @throws ApiError 400 `invalid-path`, 413 `too-many-documents`,
   * `too-many-imports`, `document-too-large`, 409 `path-taken`
   */
  prepare(path: string, text: string): Promise<PreparedText>
  /**
   * Fetches a contract and its imports. Undefined: no such contract. @throws RetryableError if no
   * node is available
   */
  fetch(contract: ContractName, signal: AbortSignal): Promise<ResolvedContract | undefined>
  /**
   * The contract at a line of a file below `_/`. @param file relative path or URI. @param line
   * zero-based. @returns undefined for other files
   */
  describe?(file: string, line: number): ContractAt | undefined
  /**
   * Resolves `textDocument/definition` of the CLI, whose checker returns the URI of the requesting
   * document, and a wrong or no line for contracts. @param range of the server's response, if any
   */
  locate?(path: string, at: TextRange['start'], range: TextRange | undefined): Promise<DefinitionPlace | undefined>
  /**
   * Direct and indirect importers, in the order in which they must be checked again: a checker
   * keeps types of what it has checked.
   */
  importersOf?(path: string): string[]
  /** The document is closed and no longer found by others. */
  remove(path: string): Promise<void>
  /** Deletes the folder. */
  close(): Promise<void>
}

export interface ImportWorkspaces {
  open(network: EditorNetwork): Promise<ImportWorkspace>
  /** Deletes all folders. */
  close(): Promise<void>
}
