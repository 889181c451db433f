import type { ProjectState } from './project-state.ts'
import { pathProblem } from './path-problem.ts'

export type TreeNode =
  | { readonly kind: 'file'; readonly path: string; readonly name: string }
  | { readonly kind: 'folder'; readonly path: string; readonly name: string; readonly children: readonly TreeNode[] }

interface Building {
  readonly folders: Map<string, Building>
  readonly files: string[]
}

export function fileTree(paths: Iterable<string>, folders: Iterable<string>): readonly TreeNode[] {
  const root: Building = { folders: new Map(), files: [] }
  const at = (segments: readonly string[]): Building => {
    let place = root
    for (const segment of segments) {
      const next: Building = place.folders.get(segment) ?? { folders: new Map(), files: [] }
      place.folders.set(segment, next)
      place = next
    }
    return place
  }
  for (const folder of folders) at(folder.split('/'))
  for (const path of paths) {
    const segments = path.split('/')
    at(segments.slice(0, -1)).files.push(segments.at(-1) ?? path)
  }
  return nodesOf(root, '')
}

function nodesOf({ folders, files }: Building, below: string): readonly TreeNode[] {
  const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
    one.name.localeCompare(other.name, 'en', { numeric: true })
  return [
    ...[...folders]
      .map(([name, inner]) => ({
        kind: 'folder' as const,
        path: below + name,
        name,
        children: nodesOf(inner, `${below}${name}/`),
      }))
      .sort(byName),
    ...files.map((name) => ({ kind: 'file' as const, path: below + name, name })).sort(byName),
  ]
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

export function movedPath(path: string, from: string, to: string): string {
  return isWithin(path, from) ? to + path.slice(from.length) : path
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function withOpen(state: ProjectState, path: string): ProjectState {
  if (state.split?.path === path) return withOtherPane(state)
  return { ...state, open: state.open.includes(path) ? state.open : [...state.open, path], active: path }
}

export function withoutTab(state: ProjectState, path: string): ProjectState {
  const at = state.open.indexOf(path)
  const open = state.open.filter((one) => one !== path)
  const { split } = state
  if (path === split?.path) return { ...state, open, split: undefined }
  if (path !== state.active) return { ...state, open }
  const others = open.filter((one) => one !== split?.path)
  const active = others[Math.min(at, others.length - 1)]
  return active === undefined ? { ...state, open, active: split?.path, split: undefined } : { ...state, open, active }
}

/** Files of the left and the right pane. */
export function paneFiles({ active, split }: Pick<ProjectState, 'active' | 'split'>): readonly (string | undefined)[] {
  if (split === undefined) return [active]
  return split.isLeft ? [split.path, active] : [active, split.path]
}

/** Moves the focus to the other pane. */
export function withOtherPane(state: ProjectState): ProjectState {
  const { active, split } = state
  if (active === undefined || split === undefined) return state
  return { ...state, active: split.path, split: { path: active, isLeft: !split.isLeft } }
}

/** Opens a file in the right pane, if another file is open for the left one. */
export function withSide(state: ProjectState, path: string): ProjectState {
  const [left, right] = paneFiles(state)
  const open = state.open.includes(path) ? state.open : [...state.open, path]
  const before = open[open.indexOf(path) - 1] ?? open[open.indexOf(path) + 1]
  const stays = left === path ? (right ?? before) : left
  return stays === undefined
    ? withOpen(state, path)
    : { ...state, open, active: path, split: { path: stays, isLeft: true } }
}

/** The panes once only these files are open. */
export function shownOf(state: ProjectState, open: readonly string[]): Pick<ProjectState, 'active' | 'split'> {
  const [active = open[0], side] = [state.active, state.split?.path].filter(
    (path) => path !== undefined && open.includes(path),
  )
  return { active, split: side === undefined ? undefined : state.split }
}

export function withFile(state: ProjectState, path: string, content: string): ProjectState {
  if (state.files.get(path) === content) return state
  return { ...state, files: new Map(state.files).set(path, content), isTouched: true }
}

export function withFolder(state: ProjectState, path: string): ProjectState {
  return state.folders.includes(path) ? state : { ...state, folders: [...state.folders, path].sort(), isTouched: true }
}

export function withMoved(state: ProjectState, from: string, to: string): ProjectState {
  const move = (path: string): string => movedPath(path, from, to)
  return {
    ...state,
    files: new Map([...state.files].map(([path, content]) => [move(path), content])),
    folders: state.folders.map(move).sort(),
    open: state.open.map(move),
    active: state.active === undefined ? undefined : move(state.active),
    split: state.split && { ...state.split, path: move(state.split.path) },
    isTouched: true,
  }
}

export function withoutPath(state: ProjectState, path: string): ProjectState {
  const isDeleted = (one: string): boolean => isWithin(one, path)
  let next = state
  for (const open of state.open.filter(isDeleted)) next = withoutTab(next, open)
  return {
    ...next,
    files: new Map([...state.files].filter(([one]) => !isDeleted(one))),
    folders: state.folders.filter((one) => !isDeleted(one)),
    isTouched: true,
  }
}

/** A free path: `a.cdc`, `a-2.cdc`, … */
export function freePath(files: { has(path: string): boolean }, path: string): string {
  const [, stem = path, ending = ''] = /^(.*?)(\.[^./]*)?$/.exec(path) ?? []
  let free = path
  for (let at = 2; files.has(free); at++) free = `${stem}-${at}${ending}`
  return free
}

/** Checks the paths of contained files too. @returns undefined if it can be moved */
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
    if (inner !== undefined) return `Could not move ${path}: ${inner}`
  }
  return undefined
}
