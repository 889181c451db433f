import type { EditorNetwork } from '../editor-network.ts'

/** Where contracts of the chain are in a connection's folder; no document may be there. */
export const contractFolder = '_'

/** A document as a language server is given it. */
export interface PreparedText {
  /**
   * Each line has the positions of the original up to the end of what was written there: imports are replaced by others of the same length. Lines are
   * never added or taken away.
   */
  readonly text: string
  /** Contracts that the text names, and that are not there yet, or so long that they may have been updated; each is to be fetched in the background. */
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

/** Where something is declared: in a contract of the chain, with the lines of the contract's own code, or in a document of the connection. */
export type DefinitionPlace =
  | { readonly contract: ContractName; readonly range: TextRange }
  | { readonly document: string; readonly range: TextRange }

export interface ResolvedContract extends ContractName {
  readonly code: string
}

/**
 * What the language server finds on disk for one connection: a folder of its own with `flow.json` and the contracts that its documents import from
 * addresses. Contracts come from access nodes and are kept by the hash of their code, so that connections share the bytes and nobody can change them
 * for others.
 */
export interface ImportWorkspace {
  /** Absolute; nobody else's documents are below it. */
  readonly folder: string
  /**
   * Grows when other documents of the connection have to be prepared and checked again, because what they import is in other files now: contracts
   * came or were updated, or a document declares a contract that others import by its name.
   */
  readonly generation?: number
  /**
   * Writes a document of the connection where imports by path find it, as soon as there are any, and gives the text to check.
   * @param path relative, such as `contracts/A.cdc`
   * @throws ApiError 400 `invalid-path`, 413 `too-many-documents`, `too-many-imports`, `document-too-large`, 409 `path-taken`
   */
  prepare(path: string, text: string): Promise<PreparedText>
  /** Fetches a contract and all that it imports. Undefined: there is none at this address. @throws RetryableError while no node answers */
  fetch(contract: ContractName, signal: AbortSignal): Promise<ResolvedContract | undefined>
  /**
   * What a line of a file is, which a server has named: files below `_/` hold contracts of the chain, several of them at times.
   * @param file its path relative to the folder, or its URI
   * @param line from 0
   * @returns undefined for files that are none of the chain's contracts
   */
  describe?(file: string, line: number): ContractAt | undefined
  /**
   * Finds where a name is declared, for `textDocument/definition` of the CLI: its checker gives the range in the file that declares the name, and the
   * URI of the file that was asked about; for contracts it gives nothing, or a line that is not there. So the range is looked for in all that the document
   * imports, and then the name.
   * @param path the document that was asked about
   * @param at where the name stands in it
   * @param range what the server gave; undefined where it gave nothing
   */
  locate?(path: string, at: TextRange['start'], range: TextRange | undefined): Promise<DefinitionPlace | undefined>
  /**
   * The documents that import one, directly or by others, each after those that it imports itself. When it has changed, these are to be checked again in
   * this order: a checker keeps the types of what it has checked before.
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
