import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Brand, Button } from '../kit/controls.tsx'
import { navigate } from '../kit/router.tsx'
import { ErrorState, Loading } from '../kit/state.tsx'
import { useToast } from '../kit/toast.tsx'
import { useAccount } from './account.tsx'
import type { Account } from './account.tsx'
import { ProjectView } from './project-view.tsx'
import { beginProject, openProblem, openProject } from './open-project.ts'
import { SignInDialog } from './parts/dialogs.tsx'
import type { ProjectState } from './project/project-state.ts'
import type { Session } from './session.ts'
import { useSettings } from './settings.ts'

type Bench =
  | { readonly is: 'opening' }
  | { readonly is: 'open'; readonly session: Session }
  | { readonly is: 'failed'; readonly error: unknown }

export function Workbench({ slug }: { readonly slug: string | undefined }): ReactNode {
  const settings = useSettings()
  const account = useAccount()
  const showToast = useToast()
  const [bench, setBench] = useState<Bench>({ is: 'opening' })
  const [attempt, setAttempt] = useState(0)
  const [isSigningIn, setIsSigningIn] = useState(false)
  const current = useRef<{ session: Session; userId: string | undefined; attempt: number }>(undefined)
  const latest = useRef(account)
  useEffect(() => {
    latest.current = account
  })

  const { userId } = account
  useEffect(() => {
    const open = current.current
    if (open?.attempt === attempt && staysOpen(open, slug, userId)) {
      open.userId = userId ?? open.userId
      return
    }
    let isGone = false
    current.current = undefined
    setBench({ is: 'opening' })
    const change = async (): Promise<void> => {
      await open?.session.close()
      if (isGone) return
      const { session, isRecovered } = await openProject(slug, { settings, account: latest.current })
      if (isGone) {
        await session.close()
        return
      }
      current.current = { session, userId, attempt }
      setBench({ is: 'open', session })
      if (slug !== undefined && session.store.state.saved === undefined) navigate('/', { isReplacing: true })
      if (isRecovered) showToast('Unsaved changes were restored.')
    }
    change().catch((error: unknown) => {
      if (!isGone) setBench({ is: 'failed', error })
    })
    return () => {
      isGone = true
    }
  }, [slug, userId, attempt, settings, showToast])

  const session = bench.is === 'open' ? bench.session : undefined
  useEffect(() => session?.saver.setOn(account.is === 'signed-in'), [session, account.is])

  const begin = (state: ProjectState): void => {
    const before = current.current
    const next = beginProject(state, { settings, account: latest.current })
    current.current = { session: next, userId, attempt }
    setBench({ is: 'open', session: next })
    navigate('/')
    void before?.session.close()
  }
  const discard = (): void => {
    const before = current.current
    current.current = undefined
    void before?.session.close({ isDiscarded: true }).then(() => {
      if (slug === undefined) setAttempt((count) => count + 1)
      else navigate('/', { isReplacing: true })
    })
  }

  if (bench.is === 'open') return <ProjectView session={bench.session} onBegin={begin} onDiscard={discard} />
  if (bench.is === 'opening')
    return (
      <CenteredCard>
        <Loading label="Opening the project…" rows={3} />
      </CenteredCard>
    )
  return (
    <CenteredCard>
      <h1 className="visually-hidden">Editor</h1>
      <ErrorState {...openProblem(bench.error)} onRetry={() => setAttempt((count) => count + 1)} />
      <div className="button-row">
        <Button onClick={() => navigate('/')}>Open a new project</Button>
        {account.is === 'signed-out' && (
          <Button look="strong" onClick={() => setIsSigningIn(true)}>
            Sign in
          </Button>
        )}
      </div>
      {isSigningIn && (
        <SignInDialog reason="Sign in to open your private projects." onClose={() => setIsSigningIn(false)} />
      )}
    </CenteredCard>
  )
}

function staysOpen(
  { session, userId: opener }: { readonly session: Session; readonly userId: string | undefined },
  slug: string | undefined,
  userId: Account['userId'],
): boolean {
  const { saved, isReadOnly } = session.store.state
  if (saved?.slug !== slug) return false
  if (userId === opener || userId === undefined) return true
  return opener === undefined && !isReadOnly
}

/** A page without the editor. */
export function CenteredCard({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="alone">
      <header>
        <Brand />
      </header>
      <main className="alone-main">{children}</main>
    </div>
  )
}
