import type { StoredFile, Limits } from '../types.ts'

/** Content by path. */
export type Files = ReadonlyMap<string, string>

interface FileChanges {
  readonly files: readonly StoredFile[]
  readonly deleted: readonly string[]
}

export function fileChanges(before: Files, after: Files): FileChanges {
  const files: StoredFile[] = []
  for (const [path, content] of after) {
    if (before.get(path) !== content) files.push({ path, content })
  }
  return { files, deleted: [...before.keys()].filter((path) => !after.has(path)) }
}

export function withChanges(before: Files, { files, deleted }: FileChanges): Files {
  const after = new Map(before)
  for (const path of deleted) after.delete(path)
  for (const { path, content } of files) after.set(path, content)
  return after
}

export function haveChanged({ files, deleted }: FileChanges): boolean {
  return files.length > 0 || deleted.length > 0
}

/** Undefined: deleted on this side. */
export interface FileConflict {
  readonly path: string
  readonly mine: string | undefined
  readonly theirs: string | undefined
}

export interface MergedFiles {
  readonly files: Files
  readonly conflicts: readonly FileConflict[]
}

export function mergeFiles(base: Files, mine: Files, theirs: Files): MergedFiles {
  const files = new Map<string, string>()
  const conflicts: FileConflict[] = []
  for (const path of new Set([...mine.keys(), ...theirs.keys()])) {
    const [was, here, there] = [base.get(path), mine.get(path), theirs.get(path)]
    if (here !== there && here !== was && there !== was) conflicts.push({ path, mine: here, theirs: there })
    const stored = here === was ? there : here
    if (stored !== undefined) files.set(path, stored)
  }
  return { files, conflicts }
}

/** `both` keeps the remote version as a separate file. */
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

/** Sizes are in bytes of UTF-8. @returns undefined if the files are within the limits */
export function limitProblem(files: Files, limits: Limits): string | undefined {
  if (files.size > limits.files)
    return `The project has ${files.size} files; the limit is ${limits.files}. Delete some, or split the project.`
  let all = 0
  for (const [path, content] of files) {
    const bytes = encoder.encode(content).length
    if (bytes > limits.file_bytes)
      return `${path} has ${bytes} bytes; the limit is ${limits.file_bytes}. Shorten or split the file.`
    all += bytes
  }
  return all > limits.project_bytes
    ? `The project has ${all} bytes; the limit is ${limits.project_bytes}. Delete files, or split the project.`
    : undefined
}
