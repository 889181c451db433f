import type { EditorNetwork } from '../../base/editor-network.ts'

/** A document as a language server is given it. */
export interface PreparedText {
  /**
   * Each line has the positions of the original up to the end of what was written there: imports are replaced by others of the same length. Lines are
   * never added or taken away.
   */
  readonly text: string
  /** Contracts that the text names, and that are not there yet; each is fetched in the background. */
  readonly missing: readonly ContractName[]
}

export interface ContractName {
  /** 16 hex digits, without 0x. */
  readonly address: string
  readonly name: string
}

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
  /** Writes a document of the connection where imports by path find it, and gives the text to check. @param path relative, checked, such as `contracts/A.cdc` */
  prepare(path: string, text: string): Promise<PreparedText>
  /** Fetches a contract and all that it imports. Undefined: there is none at this address. @throws RetryableError while no node answers */
  fetch(contract: ContractName, signal: AbortSignal): Promise<ResolvedContract | undefined>
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
