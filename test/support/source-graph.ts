import { posix } from 'node:path'
import { type Import, importsOf, importsOfJsx } from './imports.ts'
import { isBelow, modulesWithEffects, type Room, roomOf, testsMayAlsoImport } from './rooms.ts'

/** The source of every file by its path from the root of the repository, with forward slashes. */
export type Sources = ReadonlyMap<string, string>

/** Every import by file, read once. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>

export function readGraph(sources: Sources): ImportGraph {
  return new Map(
    [...sources].map(([file, source]) => [file, file.endsWith('x') ? importsOfJsx(source) : importsOf(source)]),
  )
}

/** Imports that the table of rooms does not allow, one sentence each. */
export function forbiddenArrows(graph: ImportGraph): string[] {
  const out: string[] = []
  for (const [file, imports] of graph) {
    const room = roomOf(file)
    if (room === undefined) out.push(`${file} is in no room`)
    else for (const { specifier } of imports) out.push(...forbiddenImport(file, room, specifier))
  }
  return out
}

function forbiddenImport(file: string, room: Room, specifier: string): string[] {
  const isTest = isForTests(file)
  if (!specifier.startsWith('.')) {
    const forbidden = room.pure === true && !isTest && modulesWithEffects.has(specifier)
    return forbidden ? [`${file} is in a pure room and imports ${specifier}`] : []
  }
  const target = targetOf(file, specifier)
  if (!isTest && !isBelow(file, 'test') && (isBelow(target, 'test') || isForTests(target))) {
    return [`${file} is no test and imports ${target}`]
  }
  if (room.mayImport === 'everything' || roomOf(target) === room) return []
  const allowed = isTest ? [...room.mayImport, ...testsMayAlsoImport] : room.mayImport
  return allowed.some((folder) => isBelow(target, folder)) ? [] : [`${file} may not import ${target}`]
}

/**
 * Files that import themselves by way of others, each as the list of files on the way. Imports of types are left out,
 * since they are gone when the program runs, and so are dynamic imports, which are the usual way to break a cycle.
 */
export function cycles(graph: ImportGraph): string[][] {
  const found: string[][] = []
  const finished = new Set<string>()
  const visit = (file: string, way: string[]): void => {
    if (finished.has(file)) return
    const start = way.indexOf(file)
    if (start >= 0) {
      found.push([...way.slice(start), file])
      return
    }
    for (const { specifier, kind } of graph.get(file) ?? []) {
      if (kind === 'value' && specifier.startsWith('.')) visit(targetOf(file, specifier), [...way, file])
    }
    finished.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return found
}

/**
 * Pairs of folders whose files import each other, at any depth, tests left out. A folder and one inside it are no pair:
 * together they are one subject.
 */
export function foldersThatImportEachOther(graph: ImportGraph): string[] {
  const arrows = new Set<string>()
  for (const [file, imports] of graph) {
    if (isForTests(file) || isBelow(file, 'test')) continue
    const from = posix.dirname(file)
    for (const { specifier } of imports.filter((each) => each.specifier.startsWith('.'))) {
      const to = posix.dirname(targetOf(file, specifier))
      if (!isBelow(from, to) && !isBelow(to, from)) arrows.add(`${from} ${to}`)
    }
  }
  return [...arrows]
    .map((arrow) => arrow.split(' ') as [string, string])
    .filter(([from, to]) => from < to && arrows.has(`${to} ${from}`))
    .map(([from, to]) => `${from} and ${to} import each other`)
}

/** Arrows of the table of rooms along which no file of the room, tests left out, imports anything. */
export function unusedArrows(graph: ImportGraph, table: readonly Room[]): string[] {
  const used = new Map<Room, Set<string>>()
  for (const [file, imports] of graph) {
    const room = roomOf(file)
    if (room === undefined || room.mayImport === 'everything' || isForTests(file)) continue
    for (const { specifier } of imports.filter((each) => each.specifier.startsWith('.'))) {
      const target = targetOf(file, specifier)
      for (const arrow of room.mayImport.filter((folder) => isBelow(target, folder))) {
        used.set(room, (used.get(room) ?? new Set()).add(arrow))
      }
    }
  }
  return table.flatMap((room) =>
    room.mayImport === 'everything'
      ? []
      : room.mayImport
          .filter((arrow) => used.get(room)?.has(arrow) !== true)
          .map((arrow) => `${room.paths.join(', ')} may import ${arrow}, and never does`),
  )
}

/** A test beside its source, or what such tests share. */
function isForTests(file: string): boolean {
  return /\.test(-support)?\.ts$/.test(file)
}

function targetOf(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier)
}
