import { isWithin, movedPath } from '../project/file-tree.ts'
import type { ProjectState } from '../project/project-state.ts'
import { pathProblem } from './path-problem.ts'

/**
 * Says what is wrong with moving a file or a folder, with all that is in it, to a path: also what is in it has to have paths that can be taken.
 * @returns undefined for a move that can be made
 */
export function moveProblem(
  { files, folders }: Pick<ProjectState, 'files' | 'folders'>,
  from: string,
  to: string,
): string | undefined {
  const stays = (path: string): boolean => !isWithin(path, from)
  const others = [...files.keys()].filter(stays)
  const problem = pathProblem(to, others, folders.filter(stays))
  if (problem !== undefined) return problem
  for (const path of [...files.keys(), ...folders]) {
    const inner = stays(path) ? undefined : pathProblem(movedPath(path, from, to), others)
    if (inner !== undefined) return `${path} cannot go along: ${inner}`
  }
  return undefined
}
