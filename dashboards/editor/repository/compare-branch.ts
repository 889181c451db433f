import type { Files } from '../project/file-changes.ts'
import type { Branch, BranchFile } from './read-branch.ts'

/** A file that is not the same in the project and in the branch. */
export interface Difference {
  readonly path: string
  /** In the project alone, in both with other content, or in the branch alone. */
  readonly is: 'here' | 'both' | 'there'
}

/** A project and a branch, as they were compared. */
export interface Differences {
  readonly branch: Branch
  /** The project then. */
  readonly files: Files
  readonly all: readonly Difference[]
}

/**
 * What a project has that a branch has not, and the other way round, by path.
 * @param idOf by which Git knows a content
 */
export async function compareBranch(
  files: Files,
  branch: readonly BranchFile[],
  idOf: (content: string) => Promise<string>,
): Promise<readonly Difference[]> {
  const there = new Map(branch.map(({ path, sha }) => [path, sha]))
  const own = await Promise.all(
    [...files].map(async ([path, content]): Promise<readonly Difference[]> => {
      const sha = there.get(path)
      if (sha === undefined) return [{ path, is: 'here' }]
      return sha === (await idOf(content)) ? [] : [{ path, is: 'both' }]
    }),
  )
  const others = branch.filter(({ path }) => !files.has(path)).map(({ path }): Difference => ({ path, is: 'there' }))
  return [...own.flat(), ...others].sort(({ path: one }, { path: other }) => (one < other ? -1 : 1))
}
