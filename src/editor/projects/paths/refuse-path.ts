import type { ApiError } from '../../../platform/errors.ts'
import { projectError } from '../project-error.ts'
import type { PathProblem } from './path-rules.ts'

/** The path as it is, and the rule, are in `error` of the answer. */
export function invalidPath({ path, rule, text }: PathProblem): ApiError {
  return projectError('INVALID_PATH', `Path ${shown(path)} ${text}.`, { facts: { path: path.slice(0, 1000), rule } })
}

/** A path that a line can be read with: what hides in it or turns the line around is told by its number. */
function shown(path: string): string {
  const short = path.length > 200 ? `${path.slice(0, 200)}…` : path
  return `"${short.replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"\\]/gu, (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`)}"`
}
