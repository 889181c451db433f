import { git, parentsOf, reachable, readSourceGraph, repositoryFiles } from '../check/source-graph.ts'

/** A change of one of these may change every test. */
const everything = new Set(['package-lock.json', '.mocharc.json', 'tsconfig.json', 'test/support/hooks.ts'])

/** Files that differ from a commit of git, new and deleted ones too. @throws when git does not know it */
export function changedFiles(root: string, ref: string): string[] {
  const changed = git(root, 'diff', '--name-only', '--no-renames', '-z', ref, '--')
  return [...new Set([...changed, ...git(root, 'ls-files', '-z', '--others', '--exclude-standard')])]
}

/**
 * The tests that a change may break: those that lead to a changed file over imports and over paths that they or their
 * helpers name, such as a program that they spawn or a folder that they read. In doubt a test is included.
 */
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
    // Nothing imports a test; folders are read for what is in them besides tests.
    if (file.endsWith('.test.ts') && !isChanged.has(file)) return []
    return [file, ...parentsOf(file)].flatMap((path) => [...(dependents.get(path) ?? [])])
  })
  return tests.filter((file) => affected.has(file))
}
