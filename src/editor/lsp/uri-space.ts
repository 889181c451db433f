import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContractAt, ContractName } from '../imports/import-workspace.ts'
import { isObject } from '../language-server/json-rpc.ts'

/** Maximum characters, segments and bytes of a segment. */
const [longestPath, deepestPath, longestSegmentBytes] = [512, 16, 200]

/** Names at the top of a workspace. */
const ownNames: ReadonlySet<string> = new Set(['flow.json', '_'])

export class ForeignUri extends Error {
  constructor(why: string) {
    super(`uri: ${why}; use file:///<path in the project>, such as file:///contracts/Token.cdc`)
    this.name = 'ForeignUri'
  }
}

type DescribeFile = (path: string, line: number) => ContractAt | undefined

interface ClientPlace {
  readonly uri: string
  readonly firstLine: number
}

/**
 * The client's `file:///contracts/A.cdc` is the same path below the connection's folder. The client
 * never learns the name of that folder, and nothing outside it is accessible.
 *
 * - Paths are checked by segment after percent-decoding: `..`, `%2f`, `\\`, NUL are rejected.
 * - A client gets URIs in its own spelling.
 * - Contracts of the chain are `file:///deps/<address>/<Name>.cdc`.
 */
export class UriSpace {
  readonly #folder: string
  readonly #describe: DescribeFile | undefined
  readonly #spelled = new Map<string, string>()

  /** @param folder absolute, without a trailing slash */
  constructor(folder: string, describe?: DescribeFile) {
    this.#folder = folder
    this.#describe = describe
  }

  pathOf(uri: unknown): string {
    if (typeof uri !== 'string') throw new ForeignUri('missing')
    const path = decodedPath(uri)
    if (path === undefined) throw new ForeignUri('not a file URI')
    const relative = path.slice(1)
    if (relative.length > longestPath) throw new ForeignUri(`the path has more than ${longestPath} characters`)
    const segments = relative.split('/')
    if (segments.length > deepestPath) throw new ForeignUri(`the path is more than ${deepestPath} folders deep`)
    if (!segments.every(isPlainSegment))
      throw new ForeignUri('a part of the path is empty, ., .., too long or has invalid characters')
    if (ownNames.has(segments[0] ?? '')) throw new ForeignUri('this name is reserved')
    return relative
  }

  serverUri(path: string): string {
    return pathToFileURL(`${this.#folder}/${path}`).href
  }

  toServer(uri: unknown): string {
    return this.serverUri(this.pathOf(uri))
  }

  /** Undefined outside the connection's folder. */
  ownPath(uri: unknown): string | undefined {
    const path = typeof uri === 'string' ? decodedPath(uri) : undefined
    if (path === undefined || !path.startsWith(`${this.#folder}/`)) return undefined
    const relative = path.slice(this.#folder.length + 1)
    return relative.split('/').every(isPlainSegment) ? relative : undefined
  }

  /** Undefined outside the connection. @param line in the server file */
  toClient(uri: unknown, line = 0): string | undefined {
    return this.placeOf(uri, line)?.uri
  }

  /** Server files may hold several contracts. */
  placeOf(uri: unknown, line: number): ClientPlace | undefined {
    const path = this.ownPath(uri)
    if (path === undefined) return undefined
    if (!ownNames.has(path.split('/', 1)[0] ?? '')) return { uri: this.clientUri(path), firstLine: 0 }
    const described = this.#describe?.(path, line)
    return described === undefined
      ? undefined
      : { uri: this.contractUri(described.contract), firstLine: described.firstLine }
  }

  contractUri({ address, name }: ContractName): string {
    return this.clientUri(`deps/${address}/${name}.cdc`)
  }

  clientUri(path: string): string {
    return this.#spelled.get(path) ?? pathToFileURL(`/${path}`).href
  }

  spell(path: string, uri: string): void {
    this.#spelled.set(path, uri)
  }

  close(path: string): void {
    this.#spelled.delete(path)
  }
}

/** Undefined for other URIs and for a host, query or fragment. */
function decodedPath(uri: string): string | undefined {
  // Too long even once decoded.
  if (uri.length > 9 * (longestPath + 4096)) return undefined
  const path = /^file:\/\/(\/[^?#]*)$/i.exec(uri)?.[1]
  if (path === undefined || /%2f|%5c|%00/i.test(path)) return undefined
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
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
 * LSP properties with URIs, at any depth. `changes` of a workspace edit has
 * URIs as keys; `data` returns to the server.
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

const rangeNames: ReadonlySet<string> = new Set(['range', 'targetRange', 'targetSelectionRange', 'selectionRange'])

/** Whether the object is valid without it: a link without target, a label part without location. */
function doesWithout(name: string, object: Record<string, unknown>): boolean {
  return name === 'data' || name === 'target' || (name === 'location' && 'value' in object)
}

const foreign = Symbol('foreign')

/** Also maps `file:` URIs within `arguments`. @throws ForeignUri */
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

/** Foreign parts are left out. */
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

/** Preserves the position of arguments. */
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

/** Treats `__proto__` as an ordinary name. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries)
}

function isWebUri(uri: string): boolean {
  return /^https?:\/\//i.test(uri)
}

/**
 * Removes folder names from messages, such as `cannot read /srv/w/5f…/A.cdc`. The names are
 * unguessable, so user texts are not affected.
 */
export class FolderRedactor {
  readonly #root: string
  readonly #folder: string
  readonly #any: RegExp

  /** Sibling folders belong to other connections. */
  constructor(folder: string) {
    this.#folder = folder
    this.#root = dirname(folder)
    this.#any = new RegExp(`${this.#root.replace(/[^\w/]/g, '\\$&')}(?:/[^/\\s"'\`<>(),;:]*)?`, 'g')
  }

  isNamedIn(json: string): boolean {
    return json.includes(this.#root)
  }

  /** Includes property names. */
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
