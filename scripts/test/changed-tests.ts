import { git, parentsOf, reachable, readSourceGraph, repositoryFiles } from '../check/source-graph.ts'

/** Changes of these affect every test. */
const everything = new Set(['package-lock.json', '.mocharc.json', 'tsconfig.json', 'test/support/hooks.ts'])

/** New and deleted files included. @throws for an unknown commit */
export function changedFiles(root: string, ref: string): string[] {
  const changed = git(root, 'diff', '--name-only', '--no-renames', '-z', ref, '--')
  return [...new Set([...changed, ...git(root, 'ls-files', '-z', '--others', '--exclude-standard')])]
}

/** Follows imports and named paths (programs, folders). */
export function testsOfChange(root: string, changed: readonly string[]): string[] {
  const files = repositoryFiles(root)
  const tests = files.filter((file) => file.endsWith('.test.ts'))
  if (changed.some((file) => everything.has(file))) return tests
  const graph = readSourceGraph(root, files, changed)
  const dependents = new Map<string, Set<string>>()
  for (const file of files) {
    for (const mentioned of graph.mentions(file)) {
      if (!dependents.has(mentioned)) dependents.set(mentioned, new Set())
      dependents.get(mentioned)?.add(file)
    }
  }
  const isChanged = new Set(changed)
  const affected = reachable(changed, (file) => {
    // Folders are read for other files.
    if (file.endsWith('.test.ts') && !isChanged.has(file)) return []
    return [file, ...parentsOf(file)].flatMap((path) => [...(dependents.get(path) ?? [])])
  })
  return tests.filter((file) => affected.has(file))
}
