import type { Network, OpenedProject } from '../contract.ts'
import { templates } from './templates.ts'
import type { Files } from './file-changes.ts'

/** What the service was last known to have. */
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

/** The project that is worked on, as it is in this tab. */
export interface ProjectState {
  readonly name: string
  readonly network: Network
  readonly isPublic: boolean
  readonly files: Files
  /** Folders that are shown even while nothing is in them. */
  readonly folders: readonly string[]
  /** Paths of tabs, in their order; those below deps/ are contracts of the chain. */
  readonly open: readonly string[]
  readonly active: string | undefined
  /** Undefined: it is in this browser alone. */
  readonly saved: SavedProject | undefined
  /** Somebody else's: it can be looked at, run and forked. */
  readonly isReadOnly: boolean
  readonly forkedFrom: { readonly slug: string; readonly name: string } | undefined
  /** Whether somebody has changed anything since it was made or opened. */
  readonly isTouched: boolean
}

/** The folder of tabs that show contracts of the chain. */
export const importedFolder = 'deps'

export function isImported(path: string): boolean {
  return path.startsWith(`${importedFolder}/`)
}

/** A new project: one file of each kind, the one that can be run in front. */
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

/** A project as the service gave it. */
export function projectOf({ project, files: stored }: OpenedProject): ProjectState {
  const files = new Map(stored.map(({ path, content }) => [path, content]))
  const open = project.open_files.filter((path) => files.has(path))
  const first = open[0] ?? stored[0]?.path
  const active = project.active_file !== null && files.has(project.active_file) ? project.active_file : first
  const { id, slug, version, name, network, is_public: isPublic, folders } = project
  return {
    name,
    network,
    isPublic,
    files,
    folders,
    active,
    open: active === undefined || open.includes(active) ? open : [...open, active],
    saved: { id, slug, version, name, network, isPublic, folders, files },
    isReadOnly: !project.isOwner,
    forkedFrom: project.forked_from ?? undefined,
    isTouched: false,
  }
}

/** Whether the service has less than this tab. Which tabs are open is not worth a save of its own. */
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
