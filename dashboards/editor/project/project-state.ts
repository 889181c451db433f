import { useSyncExternalStore } from 'react'
import type { Network, OpenedProject } from '../types.ts'
import { templates } from './templates.ts'
import type { Files } from './file-changes.ts'

export interface SavedProject {
  readonly id: string
  readonly slug: string
  readonly version: number
  readonly name: string
  readonly network: Network
  readonly isPublic: boolean
  readonly folders: readonly string[]
  readonly files: Files
}

/** The second of two panes, the one without focus. It never shows the active file. */
export interface Split {
  readonly path: string
  readonly isLeft: boolean
}

export interface ProjectState {
  readonly name: string
  readonly network: Network
  readonly isPublic: boolean
  readonly files: Files
  readonly folders: readonly string[]
  /** In order; paths below deps/ are imported contracts. */
  readonly open: readonly string[]
  /** File of the focused pane. */
  readonly active: string | undefined
  readonly split?: Split | undefined
  readonly saved: SavedProject | undefined
  readonly isReadOnly: boolean
  readonly forkedFrom: { readonly slug: string; readonly name: string } | undefined
  readonly isTouched: boolean
}

export const importedFolder = 'deps'

export function isImported(path: string): boolean {
  return path.startsWith(`${importedFolder}/`)
}

export function newProject(network: Network): ProjectState {
  return {
    name: 'Untitled',
    network,
    isPublic: false,
    files: new Map(templates.map(({ path, code }) => [path, code])),
    folders: [],
    open: ['scripts/add.cdc', 'contracts/Counter.cdc'],
    active: 'scripts/add.cdc',
    saved: undefined,
    isReadOnly: false,
    forkedFrom: undefined,
    isTouched: false,
  }
}

export function projectOf({ project, files: stored }: OpenedProject): ProjectState {
  const files = new Map(stored.map(({ path, content }) => [path, content]))
  const open = project.open_files.filter((path) => files.has(path))
  const first = open[0] ?? stored[0]?.path
  const active = project.active_file !== null && files.has(project.active_file) ? project.active_file : first
  const side = project.side_file ?? undefined
  const isSplit = side !== undefined && side !== active && files.has(side)
  const { id, slug, version, name, network, is_public: isPublic, folders } = project
  return {
    name,
    network,
    isPublic,
    files,
    folders,
    active,
    open: [...new Set([...open, ...(active === undefined ? [] : [active]), ...(isSplit ? [side] : [])])],
    split: isSplit ? { path: side, isLeft: false } : undefined,
    saved: { id, slug, version, name, network, isPublic, folders, files },
    isReadOnly: !project.isOwner,
    forkedFrom: project.forked_from ?? undefined,
    isTouched: false,
  }
}

export function isUnsaved({
  saved,
  name,
  network,
  isPublic,
  folders,
  files,
  isReadOnly,
  isTouched,
}: ProjectState): boolean {
  if (isReadOnly) return false
  if (saved === undefined) return isTouched
  if (
    saved.name !== name ||
    saved.network !== network ||
    saved.isPublic !== isPublic ||
    saved.folders.join('\n') !== folders.join('\n')
  )
    return true
  if (saved.files === files) return false
  if (saved.files.size !== files.size) return true
  for (const [path, content] of files) {
    if (saved.files.get(path) !== content) return true
  }
  return false
}

export class ProjectStore {
  #state: ProjectState
  readonly #listeners = new Set<() => void>()

  constructor(state: ProjectState) {
    this.#state = state
  }

  get state(): ProjectState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  change(act: (state: ProjectState) => ProjectState): void {
    const next = act(this.#state)
    if (next === this.#state) return
    this.#state = next
    for (const listener of this.#listeners) listener()
  }
}

const max = 100
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** By the rules of the service; undefined for a valid name. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'Enter a name.'
  if (name.length > max) return `The name is too long: the limit is ${max} characters.`
  if (invisible.test(name)) return 'The name contains an invisible character.'
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? undefined : 'The name has no visible character.'
}

export function forkName(name: string): string {
  let whole = ''
  for (const character of `Fork of ${name}`) {
    if (whole.length + character.length > max) break
    whole += character
  }
  return whole.trimEnd()
}

interface Store<State> {
  readonly state: State
  readonly subscribe: (listener: () => void) => () => void
}

export function useStore<State>(store: Store<State>): State {
  return useSyncExternalStore(store.subscribe, () => store.state)
}
