import { isObject } from './json-rpc.ts'
import type { UriSpace } from './uri-space.ts'

/**
 * URIs stand in LSP under a few names, at any depth: what has them is mapped there, and nowhere else, so that the text of a document, a hover or a
 * completion is never touched. `changes` of a workspace edit has them as keys. `data` is the server's own and comes back to it unchanged, so that it is
 * mapped in both directions alike.
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

/** Whether an object means something without a part that points to what the client does not have: a link without its target, part of a label without its place. */
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

/** Where an object points to, if it has a URI and a range in that file: the line tells which contract of a file is meant. */
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
