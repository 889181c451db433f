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

/** A test beside its source, or what such tests share. */
function isForTests(file: string): boolean {
  return /\.test(-support)?\.ts$/.test(file)
}

function targetOf(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier)
}
