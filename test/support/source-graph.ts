import { posix } from 'node:path'
import { type Import, importsOf, importsOfJsx } from './imports.ts'
import { isBelow, modulesWithEffects, type ModuleRules, moduleOf, testsMayAlsoImport } from './modules.ts'

/** The source of every file by its path from the repository root, with forward slashes. */
export type Sources = ReadonlyMap<string, string>

/** Every import by file, read once. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>

export function readGraph(sources: Sources): ImportGraph {
  return new Map(
    [...sources].map(([file, source]) => [file, file.endsWith('x') ? importsOfJsx(source) : importsOf(source)]),
  )
}

/** Imports that the dependency table does not allow, one sentence each. */
export function forbiddenArrows(graph: ImportGraph): string[] {
  const out: string[] = []
  for (const [file, imports] of graph) {
    const module = moduleOf(file)
    if (module === undefined) out.push(`${file} is in no module`)
    else for (const { specifier } of imports) out.push(...forbiddenImport(file, module, specifier))
  }
  return out
}

function forbiddenImport(file: string, module: ModuleRules, specifier: string): string[] {
  const isTest = isForTests(file)
  if (!specifier.startsWith('.')) {
    const forbidden = module.pure === true && !isTest && modulesWithEffects.has(specifier)
    return forbidden ? [`${file} is in a pure module and imports ${specifier}`] : []
  }
  const target = targetOf(file, specifier)
  if (!isTest && !isBelow(file, 'test') && (isBelow(target, 'test') || isForTests(target))) {
    return [`${file} is not a test but imports ${target}`]
  }
  if (module.mayImport === 'everything' || moduleOf(target) === module) return []
  const allowed = isTest ? [...module.mayImport, ...testsMayAlsoImport] : module.mayImport
  return allowed.some((folder) => isBelow(target, folder)) ? [] : [`${file} may not import ${target}`]
}

/**
 * Files that import themselves indirectly, each as the list of files on the cycle. Excludes type
 * imports, which are erased at run time, and dynamic imports, the usual way to break a cycle.
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
 * Pairs of folders whose files import each other, at any depth, without tests. A folder and its
 * subfolder are not a pair: they form one subject.
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

/** Allowed dependencies that no file of the module, except tests, uses. */
export function unusedArrows(graph: ImportGraph, table: readonly ModuleRules[]): string[] {
  const used = new Map<ModuleRules, Set<string>>()
  for (const [file, imports] of graph) {
    const module = moduleOf(file)
    if (module === undefined || module.mayImport === 'everything' || isForTests(file)) continue
    for (const { specifier } of imports.filter((each) => each.specifier.startsWith('.'))) {
      const target = targetOf(file, specifier)
      for (const arrow of module.mayImport.filter((folder) => isBelow(target, folder))) {
        used.set(module, (used.get(module) ?? new Set()).add(arrow))
      }
    }
  }
  return table.flatMap((module) =>
    module.mayImport === 'everything'
      ? []
      : module.mayImport
          .filter((arrow) => used.get(module)?.has(arrow) !== true)
          .map((arrow) => `${module.paths.join(', ')} may import ${arrow}, and never does`),
  )
}

/** A test beside its source, or a file shared by such tests. */
function isForTests(file: string): boolean {
  return /\.test(-support)?\.ts$/.test(file)
}

function targetOf(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier)
}
