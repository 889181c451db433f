import { isRetryable, problemText } from '../auth/auth-service.ts'
import { ApiProblem } from '../kit/api.ts'
import type { Account } from './account.tsx'
import type { EditorSettings } from './answers.gen.ts'
import { newProject, projectOf } from './project/project-state.ts'
import type { ProjectState } from './project/project-state.ts'
import { freeDrafts } from './project/drafts.ts'
import type { Draft } from './project/drafts.ts'
import { ownDraftId, Session } from './session.ts'
import { defaultNetwork } from './settings.ts'

/** A session, or why there is none. */
export interface Opened {
  readonly session: Session
  /** Changes that had not reached a service were brought back from the browser. */
  readonly isRecovered: boolean
}

export interface OpenOptions {
  readonly settings: EditorSettings
  readonly account: Account
}

/**
 * Opens what an address names: a project of the service, with changes of this browser that it does not have yet, or
 * what was written here without one. One that was deleted meanwhile comes back without its slug where this browser
 * has changes of it.
 * @param slug of the project; undefined for one of this browser alone
 * @throws ApiProblem
 */
export async function openProject(slug: string | undefined, options: OpenOptions): Promise<Opened> {
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
    // What was changed since is found when the changes are saved.
    if (draft !== undefined && !project.isReadOnly) return recovered(draft, options)
    return { session: begin(project, undefined, options), isRecovered: false }
  } catch (error) {
    if (draft === undefined) throw error
    // Who is offline goes on with what is here.
    if (isRetryable(error)) return recovered(draft, options)
    // It was deleted elsewhere while it was changed here: the changes are a project of their own then, and not lost.
    if (isGone(error) && draft.userId !== undefined)
      return recovered(
        { ...draft, state: { ...draft.state, saved: undefined, isPublic: false, isTouched: true } },
        options,
      )
    throw error
  }
}

/** A project of its own in this browser, beside others that are there. */
export function beginProject(state: ProjectState, options: OpenOptions): Session {
  return begin(state, undefined, options)
}

function recovered(draft: Draft, options: OpenOptions): Opened {
  const { state } = draft
  // Contracts of the chain are not kept: their tabs have nothing to show.
  const open = state.open.filter((path) => state.files.has(path))
  const active = state.active !== undefined && open.includes(state.active) ? state.active : open[0]
  return { session: begin({ ...state, open, active }, draft.id, options), isRecovered: true }
}

function begin(state: ProjectState, draftId: string | undefined, { settings, account }: OpenOptions): Session {
  return new Session({
    settings,
    projects: account.projects,
    userId: account.currentUserId,
    state,
    draftId: draftId ?? crypto.randomUUID(),
    isKept: draftId !== undefined,
  })
}

/** Drafts of the current user only; the draft of this tab comes first. */
async function ownDrafts({ userId }: Account): Promise<readonly Draft[]> {
  const own = ownDraftId()
  try {
    const drafts = (await freeDrafts(own)).filter((draft) => draft.userId === undefined || draft.userId === userId)
    return [...drafts.filter(({ id }) => id === own), ...drafts.filter(({ id }) => id !== own)]
  } catch (error) {
    // A browser that keeps nothing: the status bar says so as soon as there is something to keep.
    if (error instanceof Error) return []
    throw error
  }
}

function isGone(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404
}

/** Why a project cannot be opened, for people. */
export function openProblem(error: unknown): { readonly title: string; readonly detail: string } {
  if (isGone(error))
    return {
      title: 'There is no such project',
      detail: 'It was deleted, or it is private: its owner can sign in to see it.',
    }
  return { title: 'The project cannot be opened', detail: problemText(error) }
}
