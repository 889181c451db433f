import type { ProjectState } from './project-state.ts'
import { isWithin, movedPath } from './file-tree.ts'

/** What people do to a project: each function gives the project after it. */

/** Shows a file in a tab. */
export function withOpen(state: ProjectState, path: string): ProjectState {
  return { ...state, open: state.open.includes(path) ? state.open : [...state.open, path], active: path }
}

/** Closes a tab; its neighbour is shown where it was the one in front. */
export function withoutTab(state: ProjectState, path: string): ProjectState {
  const at = state.open.indexOf(path)
  const open = state.open.filter((one) => one !== path)
  return { ...state, open, active: state.active === path ? open[Math.min(at, open.length - 1)] : state.active }
}

/** Makes a file, or gives one other content. */
export function withFile(state: ProjectState, path: string, content: string): ProjectState {
  if (state.files.get(path) === content) return state
  return { ...state, files: new Map(state.files).set(path, content), isTouched: true }
}

export function withFolder(state: ProjectState, path: string): ProjectState {
  return state.folders.includes(path) ? state : { ...state, folders: [...state.folders, path].sort(), isTouched: true }
}

/** Renames a file, or a folder with all that is in it. */
export function withMoved(state: ProjectState, from: string, to: string): ProjectState {
  const move = (path: string): string => movedPath(path, from, to)
  return {
    ...state,
    files: new Map([...state.files].map(([path, content]) => [move(path), content])),
    folders: state.folders.map(move).sort(),
    open: state.open.map(move),
    active: state.active === undefined ? undefined : move(state.active),
    isTouched: true,
  }
}

/** Deletes a file, or a folder with all that is in it. */
export function withoutPath(state: ProjectState, path: string): ProjectState {
  const gone = (one: string): boolean => isWithin(one, path)
  let next = state
  for (const open of state.open.filter(gone)) next = withoutTab(next, open)
  return {
    ...next,
    files: new Map([...state.files].filter(([one]) => !gone(one))),
    folders: state.folders.filter((one) => !gone(one)),
    isTouched: true,
  }
}

/** A path that is not taken yet: `a.cdc`, `a-2.cdc`, … */
export function freePath(files: { has(path: string): boolean }, path: string): string {
  const [, stem = path, ending = ''] = /^(.*?)(\.[^./]*)?$/.exec(path) ?? []
  let free = path
  for (let at = 2; files.has(free); at++) free = `${stem}-${at}${ending}`
  return free
}
