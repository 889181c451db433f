/** What came of the way to GitHub, as the service writes it into the address of the page. */
export interface CameBack {
  readonly text: string
  readonly isGood: boolean
  /** Of the project from which somebody went; undefined where this tab did not go. */
  readonly slug: string | undefined
}

const key = 'flowfarm-editor-github'

/** Remembers, for this tab, from which project somebody goes to GitHub. */
export function noteWayToGitHub(projectId: string, slug: string): void {
  sessionStorage.setItem(key, JSON.stringify({ projectId, slug }))
}

const reasons: Readonly<Record<string, string>> = {
  'bad-state': 'it took longer than ten minutes, or was begun in another browser. Try again.',
  'github-denied': 'you said no there, or closed its page.',
  'github-code': 'GitHub did not take what it had given. Try again.',
  'user-removed': 'your account was removed meanwhile.',
}

/** @param search of the address, such as `?github=connected`. @returns undefined where nobody comes from GitHub */
export function cameBackFromGitHub(search: string): CameBack | undefined {
  const values = new URLSearchParams(search)
  const outcome = values.get('github')
  if (outcome === null) return undefined
  const slug = slugOf(values.get('project_id'))
  switch (outcome) {
    case 'connected':
      return { text: 'GitHub has said which repositories are yours.', isGood: true, slug }
    case 'none':
      return {
        text: 'GitHub knows of no repository that this editor may use: install the App there, and choose some.',
        isGood: false,
        slug,
      }
    case 'asked':
      return {
        text: 'An owner of the organization has been asked. Come back when they have agreed.',
        isGood: true,
        slug,
      }
    default:
      return {
        text: `GitHub was not asked: ${reasons[values.get('reason') ?? ''] ?? 'it does not answer as it should. Try again.'}`,
        isGood: false,
        slug,
      }
  }
}

function slugOf(projectId: string | null): string | undefined {
  const kept = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  if (kept === null) return undefined
  const { projectId: from, slug } = JSON.parse(kept) as { readonly projectId: string; readonly slug: string }
  // An answer that tells of no project, such as a refusal, is for the one from which this tab went.
  return projectId === null || projectId === from ? slug : undefined
}
