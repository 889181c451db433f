import { pathToFileURL } from 'node:url'
import type { ContractAt, ContractName } from '../language-servers/import-workspace.ts'

/** Longest path, in characters, and deepest folder that a document of a connection may have. */
const [longestPath, deepestPath, longestSegmentBytes] = [512, 16, 200]

/** Names at the top of a workspace that are its own: what it writes there no document may stand for. */
const ownNames: ReadonlySet<string> = new Set(['flow.json', '_'])

/** A URI that names nothing that this connection may have. */
export class ForeignUri extends Error {
  constructor(why: string) {
    super(`uri: ${why}; give file:///<path of a file of the project>, such as file:///contracts/Token.cdc`)
    this.name = 'ForeignUri'
  }
}

/** Tells which contract a line of a file of a workspace is from, where it is one of those that were fetched. */
export type DescribeFile = (path: string, line: number) => ContractAt | undefined

/** What a client has in place of a file of the language server. */
export interface ClientPlace {
  readonly uri: string
  /** The line of the file with which it begins; what the server says of lines counts from there. */
  readonly firstLine: number
}

/**
 * The names of one connection. Its client has `file:///contracts/A.cdc`, the language server the same path below the connection's own folder. What is
 * not below that folder does not exist for the client, and it never learns the folder's name.
 *
 * - A path is checked segment by segment after its percent-encoding was taken off: `..`, `%2f`, `\`, NUL and the like are refused, not repaired.
 * - A client gets the URI of a document in the very spelling in which it opened it.
 * - Contracts of the chain are `file:///deps/<address>/<Name>.cdc` for clients.
 */
export class UriSpace {
  readonly #folder: string
  readonly #describe: DescribeFile | undefined
  /** The client's spelling of the documents that it has opened, by path. */
  readonly #spelled = new Map<string, string>()

  /** @param folder absolute, without a slash at its end */
  constructor(folder: string, describe?: DescribeFile) {
    this.#folder = folder
    this.#describe = describe
  }

  /** The path of a URI of the client, relative, such as `contracts/A.cdc`. @throws ForeignUri */
  pathOf(uri: unknown): string {
    if (typeof uri !== 'string') throw new ForeignUri('it is missing')
    const path = decodedPath(uri)
    if (path === undefined) throw new ForeignUri('it is no URI of a file')
    const relative = path.slice(1)
    if (relative.length > longestPath) throw new ForeignUri(`its path has more than ${longestPath} characters`)
    const segments = relative.split('/')
    if (segments.length > deepestPath) throw new ForeignUri(`its path is more than ${deepestPath} folders deep`)
    if (!segments.every(isPlainSegment))
      throw new ForeignUri('a part of its path is empty, . or .., too long, or has characters that files cannot have')
    if (ownNames.has(segments[0] ?? '')) throw new ForeignUri('this name is kept for the language server')
    return relative
  }

  /** The language server's URI of a path. */
  serverUri(path: string): string {
    return pathToFileURL(`${this.#folder}/${path}`).href
  }

  /** The language server's URI for one of the client. @throws ForeignUri */
  toServer(uri: unknown): string {
    return this.serverUri(this.pathOf(uri))
  }

  /** The path below the connection's folder of a URI of the language server; undefined where it is elsewhere. */
  ownPath(uri: unknown): string | undefined {
    const path = typeof uri === 'string' ? decodedPath(uri) : undefined
    if (path === undefined || !path.startsWith(`${this.#folder}/`)) return undefined
    const relative = path.slice(this.#folder.length + 1)
    return relative.split('/').every(isPlainSegment) ? relative : undefined
  }

  /** The client's URI for one of the language server; undefined where it is none of this connection's. @param line in which something is pointed to */
  toClient(uri: unknown, line = 0): string | undefined {
    return this.placeOf(uri, line)?.uri
  }

  /** The same, with where it begins: files of the server hold several contracts at times. */
  placeOf(uri: unknown, line: number): ClientPlace | undefined {
    const path = this.ownPath(uri)
    if (path === undefined) return undefined
    if (!ownNames.has(path.split('/', 1)[0] ?? '')) return { uri: this.clientUri(path), firstLine: 0 }
    const described = this.#describe?.(path, line)
    return described === undefined
      ? undefined
      : { uri: this.contractUri(described.contract), firstLine: described.firstLine }
  }

  /** The client's URI of a contract of the chain. */
  contractUri({ address, name }: ContractName): string {
    return this.clientUri(`deps/${address}/${name}.cdc`)
  }

  /** The client's URI of a path, as it has spelled it. */
  clientUri(path: string): string {
    return this.#spelled.get(path) ?? pathToFileURL(`/${path}`).href
  }

  /** Keeps how the client spells the URI of a document that it opens. */
  spell(path: string, uri: string): void {
    this.#spelled.set(path, uri)
  }

  /** Forgets the spelling of a document that was closed. */
  forget(path: string): void {
    this.#spelled.delete(path)
  }
}

/** The path of a `file:` URI without its percent-encoding, from its first slash; undefined where it is none, or has a host, a query or a fragment. */
function decodedPath(uri: string): string | undefined {
  // Nothing that is longer than this is within the limits once decoded.
  if (uri.length > 9 * (longestPath + 4096)) return undefined
  const path = /^file:\/\/(\/[^?#]*)$/i.exec(uri)?.[1]
  if (path === undefined || /%2f|%5c|%00/i.test(path)) return undefined
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined // a % that begins nothing, or bytes that are no UTF-8
  }
}

function isPlainSegment(segment: string): boolean {
  return (
    segment !== '' &&
    segment !== '.' &&
    segment !== '..' &&
    !/[\u0000-\u001f\u007f\\]/.test(segment) &&
    segment.isWellFormed() &&
    Buffer.byteLength(segment) <= longestSegmentBytes
  )
}
