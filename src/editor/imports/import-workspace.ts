import type { EditorNetwork } from '../editor-network.ts'

/** Where contracts of the chain are in a connection's folder; no document may be there. */
export const contractFolder = '_'

/** A document as a language server is given it. */
export interface PreparedText {
  /** Lines are kept, and so are positions up to the end of each line's text: import locations keep their length. */
  readonly text: string
  /** Contracts that the text imports and that are missing or may be outdated: fetch them in the background. */
  readonly missing: readonly ContractName[]
}

export interface ContractName {
  /** 16 hex digits, without 0x. */
  readonly address: string
  readonly name: string
}

/** A part of a text as LSP tells it: lines and characters from 0, characters in UTF-16 units, the end excluded. */
export interface TextRange {
  readonly start: { readonly line: number; readonly character: number }
  readonly end: { readonly line: number; readonly character: number }
}

/** Which contract a line of a file below the folder is from, and where it begins in that file, in lines from 0. */
export interface ContractAt {
  readonly contract: ContractName
  readonly firstLine: number
}

/** Where something is declared: in a contract of the chain, with the lines of its own code, or in a document. */
export type DefinitionPlace =
  | { readonly contract: ContractName; readonly range: TextRange }
  | { readonly document: string; readonly range: TextRange }

export interface ResolvedContract extends ContractName {
  readonly code: string
}

/**
 * What a language server finds on disk for one connection: a folder with `flow.json` and the contracts that its
 * documents import. Contracts are shared between connections by the hash of their code, read-only.
 */
export interface ImportWorkspace {
  /** Absolute; nobody else's documents are below it. */
  readonly folder: string
  /**
   * Grows when other documents have to be prepared and checked again: contracts came or were updated, or a document
   * declares a contract that others import by name.
   */
  readonly generation?: number
  /**
   * Stores a document for imports by path, and returns the text to check.
   * @param path relative, such as `contracts/A.cdc`
   * @throws ApiError 400 `invalid-path`, 413 `too-many-documents`, `too-many-imports`, `document-too-large`, 409
   * `path-taken`
   */
  prepare(path: string, text: string): Promise<PreparedText>
  /** Fetches a contract and all its imports. Undefined: no such contract. @throws RetryableError if no node answers */
  fetch(contract: ContractName, signal: AbortSignal): Promise<ResolvedContract | undefined>
  /**
   * Which contract a line is from; files below `_/` hold one or more contracts.
   * @param file relative path or URI
   * @param line from 0
   * @returns undefined for other files
   */
  describe?(file: string, line: number): ContractAt | undefined
  /**
   * Finds a declaration for `textDocument/definition` of the CLI, whose checker gives the right range with the URI of
   * the requesting document, and for contracts nothing or a wrong line.
   * @param path the requesting document
   * @param at where the name stands in it
   * @param range what the server returned, if anything
   */
  locate?(path: string, at: TextRange['start'], range: TextRange | undefined): Promise<DefinitionPlace | undefined>
  /**
   * Direct and indirect importers of a document, in the order in which they must be checked again: a checker keeps the
   * types of what it has checked before.
   */
  importersOf?(path: string): string[]
  /** A document was closed: others do not find it any more. */
  remove(path: string): Promise<void>
  /** Takes the folder away. */
  close(): Promise<void>
}

export interface ImportWorkspaces {
  open(network: EditorNetwork): Promise<ImportWorkspace>
  /** Takes away all folders; for the end of the process. */
  close(): Promise<void>
}
