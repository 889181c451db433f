import type { GivenFile } from '../save/save-request.ts'

/** Files as columns, for `unnest($::text[], $::text[], $::text[], $::bytea[], $::int[])`: key, path, content, hash, bytes. */
export function fileArrays(
  files: readonly GivenFile[],
): [keys: string[], paths: string[], contents: string[], hashes: Buffer[], bytes: number[]] {
  return [
    files.map(({ key }) => key),
    files.map(({ path }) => path),
    files.map(({ content }) => content),
    files.map(({ hash }) => hash),
    files.map(({ bytes }) => bytes),
  ]
}
