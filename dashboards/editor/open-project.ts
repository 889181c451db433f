import { isRetryable, problemText } from '../auth/auth-service.ts'
import { ApiProblem } from '../kit/api.ts'
import type { Account } from './account.tsx'
import type { EditorSettings } from './answers.gen.ts'
import { shownOf } from './project/file-tree.ts'
import { newProject, projectOf } from './project/project-state.ts'
import type { ProjectState } from './project/project-state.ts'
import { freeDrafts } from './project/drafts.ts'
import type { Draft } from './project/drafts.ts'
import { codeShape } from './run/script-kind.ts'
import { ownDraftId, Session } from './session.ts'
import { defaultNetwork } from './settings.ts'

export interface Opened {
  readonly session: Session
  readonly isRecovered: boolean
}

export interface OpenOptions {
  readonly settings: EditorSettings
  readonly account: Account
}

/**
 * A project with the unsaved changes of this browser, or a draft. If it was deleted elsewhere and
 * has local changes, it opens without its slug. @param slug undefined: a project that only this
 * browser has @throws ApiProblem
 */
export async function openProject(slug: string | undefined, options: OpenOptions): Promise<Opened> {
  const linked = slug === undefined ? linkedCode() : undefined
  if (linked !== undefined)
    return {
      session: begin(projectOfCode(linked, options.settings), undefined, options),
      isRecovered: false,
    }
  const drafts = await ownDrafts(options.account)
  if (slug === undefined) {
    const draft = drafts.find(({ projectId }) => projectId === undefined)
    return draft === undefined
      ? { session: begin(newProject(defaultNetwork(options.settings)), undefined, options), isRecovered: false }
      : recovered(draft, options)
  }
  const draft = drafts.find(({ state }) => state.saved?.slug === slug)
  try {
    const project = projectOf(await options.account.projects.get(slug))
    // A save detects changes since then.
    if (draft !== undefined && !project.isReadOnly) return recovered(draft, options)
    return { session: begin(project, undefined, options), isRecovered: false }
  } catch (error) {
    if (draft === undefined) throw error
    if (isRetryable(error)) return recovered(draft, options)
    // Deleted elsewhere but changed here: keep the changes as a new project.
    if (isGone(error) && draft.userId !== undefined)
      return recovered(
        { ...draft, state: { ...draft.state, saved: undefined, isPublic: false, isTouched: true } },
        options,
      )
    throw error
  }
}

/** Of links such as `/#code=transaction%20%7B%7D`. Opened without changes, it is not stored. */
function linkedCode(): string | undefined {
  const encoded = /^#code=(.+)$/s.exec(location.hash)?.[1]
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

const folders = { script: 'scripts', transaction: 'transactions', contract: 'contracts', other: 'scripts' } as const

function projectOfCode(code: string, settings: EditorSettings): ProjectState {
  const path = `${folders[codeShape(code).kind]}/linked.cdc`
  return { ...newProject(defaultNetwork(settings)), files: new Map([[path, code]]), open: [path], active: path }
}

export function beginProject(state: ProjectState, options: OpenOptions): Session {
  return begin(state, undefined, options)
}

function recovered(draft: Draft, options: OpenOptions): Opened {
  const { state } = draft
  // Imported contracts are not stored, so their tabs would be empty.
  const open = state.open.filter((path) => state.files.has(path))
  return { session: begin({ ...state, open, ...shownOf(state, open) }, draft.id, options), isRecovered: true }
}

function begin(state: ProjectState, draftId: string | undefined, { settings, account }: OpenOptions): Session {
  return new Session({
    settings,
    projects: account.projects,
    userId: account.currentUserId,
    state,
    draftId: draftId ?? crypto.randomUUID(),
    isStored: draftId !== undefined,
  })
}

async function ownDrafts({ userId }: Account): Promise<readonly Draft[]> {
  const own = ownDraftId()
  try {
    const drafts = (await freeDrafts(own)).filter((draft) => draft.userId === undefined || draft.userId === userId)
    return [...drafts.filter(({ id }) => id === own), ...drafts.filter(({ id }) => id !== own)]
  } catch (error) {
    // Storage is unavailable; the status bar reports it at the first change.
    if (error instanceof Error) return []
    throw error
  }
}

function isGone(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404
}

export function openProblem(error: unknown): { readonly title: string; readonly detail: string } {
  if (isGone(error))
    return {
      title: 'Project not found',
      detail: 'It was deleted, or it is private. The owner can sign in to open it.',
    }
  return { title: 'Could not open the project', detail: problemText(error) }
}
