import type { StoredFile } from '../contract.ts'

/** The files of a project: content by path. */
export type Files = ReadonlyMap<string, string>

export interface FileChanges {
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
