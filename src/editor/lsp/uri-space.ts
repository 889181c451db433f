import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContractAt, ContractName } from '../imports/import-workspace.ts'
import { isObject } from '../language-server/json-rpc.ts'

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
type DescribeFile = (path: string, line: number) => ContractAt | undefined

/** What a client has in place of a file of the language server. */
interface ClientPlace {
  readonly uri: string
  /** The line of the file with which it begins; what the server says of lines counts from there. */
  readonly firstLine: number
}

/**
 * URIs of one connection. The client's `file:///contracts/A.cdc` is the same path below the connection's folder for the
 * server. Nothing outside that folder exists for the client, which never learns its name.
 *
 * - Paths are checked by segment after percent-decoding: `..`, `%2f`, `\`, NUL and the like are refused, not repaired.
 * - A client gets the URI of a document in the spelling in which it opened it.
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

  /** The client's URI for a server URI; undefined outside the connection. @param line that is pointed to */
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

/** The decoded path of a `file:` URI; undefined for other URIs and for a host, query or fragment. */
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

/**
 * Names under which LSP has URIs, at any depth. Only these are mapped, so texts of documents, hovers and completions
 * are never changed. `changes` of a workspace edit has URIs as keys; `data` returns to the server, so it is mapped both
 * ways.
 */
const uriNames: ReadonlySet<string> = new Set([
  'uri',
  'targetUri',
  'oldUri',
  'newUri',
  'baseUri',
  'scopeUri',
  'rootUri',
  'documentUri',
  'contextUri',
])

/** Ranges of the file that an object points to. */
const rangeNames: ReadonlySet<string> = new Set(['range', 'targetRange', 'targetSelectionRange', 'selectionRange'])

/** Whether an object makes sense without a foreign part: a link without target, a label part without location. */
function doesWithout(name: string, object: Record<string, unknown>): boolean {
  return name === 'data' || name === 'target' || (name === 'location' && 'value' in object)
}

const foreign = Symbol('foreign')

/**
 * Maps what a client sends. Texts within `arguments` that are `file:` URIs are mapped too: commands take them so.
 * @throws ForeignUri for a URI outside the connection's space
 */
export function toServer(value: unknown, space: UriSpace, isArgument = false): unknown {
  if (isArgument && typeof value === 'string' && /^\s*file:/i.test(value)) return space.toServer(value)
  if (Array.isArray(value)) return value.map((item) => toServer(item, space, isArgument))
  if (!isObject(value)) return value
  const mapped: [string, unknown][] = []
  for (const [name, item] of Object.entries(value)) {
    if (uriNames.has(name) && item !== null) mapped.push([name, space.toServer(item)])
    else if (name === 'target' && typeof item === 'string' && !isWebUri(item)) mapped.push([name, space.toServer(item)])
    else if (name === 'changes' && isObject(item)) mapped.push([name, keysMapped(item, (uri) => space.toServer(uri))])
    else mapped.push([name, toServer(item, space, isArgument || name === 'arguments')])
  }
  return objectOf(mapped)
}

/** Maps what the language server sends. What points elsewhere is left out; undefined where nothing is left. */
export function toClient(value: unknown, space: UriSpace): unknown {
  const mapped = clientValue(value, space, false)
  return mapped === foreign ? undefined : mapped
}

function clientValue(value: unknown, space: UriSpace, isArgument: boolean): unknown {
  if (isArgument && typeof value === 'string' && /^\s*file:/i.test(value)) return space.toClient(value) ?? foreign
  if (Array.isArray(value))
    return value
      .map((item) => clientValue(item, space, isArgument))
      .filter((item) => isArgument || item !== foreign)
      .map(noForeign)
  if (!isObject(value)) return value
  const mapped: [string, unknown][] = []
  const place = placeIn(value, space)
  if (place === foreign) return foreign
  for (const [name, item] of Object.entries(value)) {
    if (place !== undefined && (name === place.name || rangeNames.has(name))) {
      mapped.push([name, name === place.name ? place.uri : moved(item, place.firstLine)])
      continue
    }
    const own = clientProperty(name, item, space, isArgument)
    if (own !== foreign) mapped.push([name, own])
    else if (!doesWithout(name, value)) return foreign
  }
  return objectOf(mapped)
}

/** Where an object with a URI and a range points to: the line tells which contract of a file is meant. */
function placeIn(
  value: Record<string, unknown>,
  space: UriSpace,
): { name: string; uri: string; firstLine: number } | typeof foreign | undefined {
  const [name, rangeName] = 'targetUri' in value ? ['targetUri', 'targetRange'] : ['uri', 'range']
  const range = value[rangeName]
  if (typeof value[name] !== 'string' || !isObject(range)) return undefined
  const line = isObject(range['start']) && typeof range['start']['line'] === 'number' ? range['start']['line'] : 0
  const place = space.placeOf(value[name], line)
  return place === undefined ? foreign : { name, ...place }
}

/** A range some lines further up. */
function moved(range: unknown, lines: number): unknown {
  if (lines === 0 || !isObject(range)) return range
  const up = (position: unknown): unknown =>
    isObject(position) && typeof position['line'] === 'number'
      ? { ...position, line: Math.max(0, position['line'] - lines) }
      : position
  return { ...range, start: up(range['start']), end: up(range['end']) }
}

function clientProperty(name: string, item: unknown, space: UriSpace, isArgument: boolean): unknown {
  if (uriNames.has(name) && item !== null) return space.toClient(item) ?? foreign
  if (name === 'target' && typeof item === 'string') return isWebUri(item) ? item : (space.toClient(item) ?? foreign)
  if (name === 'changes' && isObject(item)) return keysMapped(item, (uri) => space.toClient(uri))
  return clientValue(item, space, isArgument || name === 'arguments')
}

/** An argument keeps its place, without its content. */
function noForeign(item: unknown): unknown {
  return item === foreign ? null : item
}

function keysMapped(
  object: Record<string, unknown>,
  map: (uri: string) => string | undefined,
): Record<string, unknown> {
  return objectOf(
    Object.entries(object).flatMap(([uri, item]) => {
      const mapped = map(uri)
      return mapped === undefined ? [] : [[mapped, item] as [string, unknown]]
    }),
  )
}

/** Unlike an object literal that is assigned to, this takes `__proto__` for a name like any other. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries)
}

function isWebUri(uri: string): boolean {
  return /^https?:\/\//i.test(uri)
}

/**
 * Removes folder names from messages of a language server, such as `cannot read /srv/w/5f…/A.cdc`: the connection's own
 * is left out, others become `…`. The names are unguessable, so user texts are not affected.
 */
export class FolderHider {
  readonly #root: string
  readonly #folder: string
  readonly #any: RegExp

  /** @param folder of the connection; those of others are beside it */
  constructor(folder: string) {
    this.#folder = folder
    this.#root = dirname(folder)
    this.#any = new RegExp(`${this.#root.replace(/[^\w/]/g, '\\$&')}(?:/[^/\\s"'\`<>(),;:]*)?`, 'g')
  }

  /** Whether a text of JSON names any folder. */
  isNamedIn(json: string): boolean {
    return json.includes(this.#root)
  }

  /** The value without them, names of properties included. */
  hide(value: unknown): unknown {
    if (typeof value === 'string') return this.#hideInText(value)
    if (Array.isArray(value)) return value.map((item) => this.hide(item))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.#hideInText(name), this.hide(item)]))
  }

  #hideInText(text: string): string {
    return text.includes(this.#root) ? text.replace(this.#any, (found) => (found === this.#folder ? '' : '…')) : text
  }
}
