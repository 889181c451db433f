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
  return { ...state, open: state.open.includes(path) ? state.open : [...state.open, path], active: path }
}

export function withoutTab(state: ProjectState, path: string): ProjectState {
  const at = state.open.indexOf(path)
  const open = state.open.filter((one) => one !== path)
  return { ...state, open, active: state.active === path ? open[Math.min(at, open.length - 1)] : state.active }
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
