import type { Files } from '../project/file-changes.ts'

/** A file that was changed here and elsewhere, in different ways. Undefined: it was deleted on this side. */
export interface FileConflict {
  readonly path: string
  readonly mine: string | undefined
  readonly theirs: string | undefined
}

export interface MergedFiles {
  /** With mine where both changed it. */
  readonly files: Files
  readonly conflicts: readonly FileConflict[]
}

/** Brings together what was changed here and what was changed elsewhere since `base`. Nothing of either side is lost: what cannot be brought together is a conflict. */
export function mergeFiles(base: Files, mine: Files, theirs: Files): MergedFiles {
  const files = new Map<string, string>()
  const conflicts: FileConflict[] = []
  for (const path of new Set([...mine.keys(), ...theirs.keys()])) {
    const [was, here, there] = [base.get(path), mine.get(path), theirs.get(path)]
    if (here !== there && here !== was && there !== was) conflicts.push({ path, mine: here, theirs: there })
    const kept = here === was ? there : here
    if (kept !== undefined) files.set(path, kept)
  }
  return { files, conflicts }
}

/** What somebody decided about a file: one of the sides, or theirs as a file of its own beside mine. */
export type Choice = 'mine' | 'theirs' | 'both'

/** @param nameFor a free path for the other version of a file */
export function resolveConflicts(
  { files, conflicts }: MergedFiles,
  choices: ReadonlyMap<string, Choice>,
  nameFor: (path: string, taken: Files) => string,
): Files {
  const resolved = new Map(files)
  for (const { path, mine, theirs } of conflicts) {
    const choice = choices.get(path) ?? 'both'
    const content = choice === 'theirs' ? theirs : mine
    if (choice === 'both' && mine === undefined && theirs !== undefined) resolved.set(path, theirs)
    else if (content === undefined) resolved.delete(path)
    else resolved.set(path, content)
    if (choice === 'both' && mine !== undefined && theirs !== undefined) resolved.set(nameFor(path, resolved), theirs)
  }
  return resolved
}
