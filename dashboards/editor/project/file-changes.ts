import type { StoredFile, Limits } from '../types.ts'

/** The files of a project: content by path. */
export type Files = ReadonlyMap<string, string>

interface FileChanges {
  /** New, or with other content. */
  readonly files: readonly StoredFile[]
  /** Not there any more. */
  readonly deleted: readonly string[]
}

/** What has to be told to whoever has `before`, so that they have `after`. */
export function fileChanges(before: Files, after: Files): FileChanges {
  const files: StoredFile[] = []
  for (const [path, content] of after) {
    if (before.get(path) !== content) files.push({ path, content })
  }
  return { files, deleted: [...before.keys()].filter((path) => !after.has(path)) }
}

/** Does to files what was told. */
export function withChanges(before: Files, { files, deleted }: FileChanges): Files {
  const after = new Map(before)
  for (const path of deleted) after.delete(path)
  for (const { path, content } of files) after.set(path, content)
  return after
}

export function haveChanged({ files, deleted }: FileChanges): boolean {
  return files.length > 0 || deleted.length > 0
}

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

/** Three-way merge of local and remote changes since `base`; the rest are conflicts. */
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

const encoder = new TextEncoder()

/**
 * Says why the service that keeps projects would refuse these files, so that people learn it before they save; the
 * service decides. Sizes are in bytes of UTF-8. @returns undefined for files that it takes
 */
export function limitProblem(files: Files, limits: Limits): string | undefined {
  if (files.size > limits.files)
    return (
      `The project has ${files.size} files, and at most ${limits.files} can be saved: delete some, or make two ` +
      'projects of it.'
    )
  let all = 0
  for (const [path, content] of files) {
    const bytes = encoder.encode(content).length
    if (bytes > limits.file_bytes)
      return (
        `${path} has ${bytes} bytes, and files of at most ${limits.file_bytes} can be saved: make it shorter, or ` +
        'two files of it.'
      )
    all += bytes
  }
  return all > limits.project_bytes
    ? `The project has ${all} bytes, and at most ${limits.project_bytes} can be saved: delete something, or make ` +
        'two projects of it.'
    : undefined
}
