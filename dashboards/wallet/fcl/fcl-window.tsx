import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import './fcl.css'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Failure, Loading } from '../../kit/state.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { problemText } from '../../auth/problem.ts'
import { SignInForm } from '../../auth/sign-in-form.tsx'
import { useOwnAccounts, useReadAgain } from '../own.ts'
import { createQueryClient } from '../settings.ts'
import { OpenerChannel } from './opener-channel.ts'
import type { AppRequest, ChannelState } from './opener-channel.ts'
import { AuthnWindow } from './pages/authn-window.tsx'
import { AuthzWindow } from './pages/authz-window.tsx'
import { UserSignatureWindow } from './pages/user-signature-window.tsx'
import type { WindowProps } from './pages/window-props.ts'
import { WindowFrame } from './parts/window-frame.tsx'

const windows: Readonly<Record<string, (props: WindowProps) => ReactNode>> = {
  '/fcl/authn': AuthnWindow,
  '/fcl/authz': AuthzWindow,
  '/fcl/user-signature': UserSignatureWindow,
}

/** There is one talk for one window, however often React shows it. */
const channel = new OpenerChannel(window)

/** Whether a path is that of a window for applications. */
export function isFclPath(path: string): boolean {
  return Object.hasOwn(windows, path)
}

/** The window that applications open by FCL, for each of its services. */
export function FclWindow({ path }: { readonly path: string }): ReactNode {
  const state = useSyncExternalStore(channel.subscribe, () => channel.state)
  useEffect(() => {
    document.title = 'Request – flowfarm wallet'
    channel.start()
  }, [])
  if (state.status === 'waiting')
    return (
      <WindowFrame>
        <h1>One moment</h1>
        <Loading label="The page is asked what it wants" rows={2} />
      </WindowFrame>
    )
  if (state.status === 'refused')
    return (
      <WindowFrame origin={state.origin}>
        <Refused state={state} />
      </WindowFrame>
    )
  if (state.status === 'answered') {
    return (
      <WindowFrame origin={state.request.origin}>
        <h1>{state.answer === 'approved' ? 'Done' : 'Declined'}</h1>
        <p className="done-line" role="status">
          <Icon name={state.answer === 'approved' ? 'check' : 'cross'} size={20} /> The page knows. You can close this
          window.
        </p>
        <footer className="fcl-decision">
          <div className="button-row">
            <Button onClick={() => window.close()}>Close</Button>
          </div>
        </footer>
      </WindowFrame>
    )
  }
  return (
    <WindowFrame origin={state.request.origin} hasMore={state.hasMore}>
      <Asked path={path} request={state.request} />
    </WindowFrame>
  )
}

const refusals: Readonly<Record<(ChannelState & { status: 'refused' })['reason'], readonly [string, string]>> = {
  alone: [
    'No application opened this window',
    'It shows what applications ask for. To see your accounts open the wallet itself.',
  ],
  unsafe: [
    'This page may ask for nothing',
    'It did not come by HTTPS, so that anybody on the way could have changed it.',
  ],
  unreadable: ['This request cannot be read', 'It is too long, or is none.'],
}

function Refused({ state: { reason } }: { readonly state: ChannelState & { status: 'refused' } }): ReactNode {
  const [title, detail] = refusals[reason]
  return (
    <>
      <h1>{title}</h1>
      <Failure title="Nothing was signed" detail={detail} />
      <footer className="fcl-decision">
        <div className="button-row">
          {reason === 'alone' ? (
            <a className="button strong" href="/">
              To the wallet
            </a>
          ) : (
            <Button look="strong" onClick={() => window.close()}>
              Close
            </Button>
          )}
        </div>
      </footer>
    </>
  )
}

function Asked({ path, request }: { readonly path: string; readonly request: AppRequest }): ReactNode {
  const { state, keeper } = useAuth()
  if (state.status === 'loading') return <Loading label="It is looked whether you are signed in" rows={2} />
  if (state.status === 'unknown')
    return (
      <Failure
        title="It is not known whether you are signed in"
        detail={state.detail}
        onRetry={() => void keeper.load()}
      />
    )
  if (state.status === 'signed-out') {
    return (
      <div className="fcl-sign-in">
        <SignInForm>
          <h1>Sign in to your wallet</h1>
          <p className="soft">Then you are shown what the page wants.</p>
        </SignInForm>
        <Button look="plain" onClick={() => channel.decline('The person did not sign in.')}>
          Decline
        </Button>
      </div>
    )
  }
  return <Person key={state.session.user.id} path={path} request={request} />
}

/** What one user was shown is not for the next one: each has answers of their own. */
function Person({ path, request }: { readonly path: string; readonly request: AppRequest }): ReactNode {
  const [client] = useState(createQueryClient)
  return (
    <QueryClientProvider client={client}>
      <Request path={path} request={request} />
    </QueryClientProvider>
  )
}

function Request({ path, request }: { readonly path: string; readonly request: AppRequest }): ReactNode {
  const { data, error } = useOwnAccounts()
  const readAgain = useReadAgain()
  const Shown = windows[path]
  if (Shown === undefined) return null
  if (data === undefined) {
    return error === null ? (
      <Loading label="Your accounts load" />
    ) : (
      <Failure title="Your accounts cannot be shown" detail={problemText(error)} onRetry={() => void readAgain()} />
    )
  }
  return <Shown request={request} own={data} channel={channel} readAgain={() => void readAgain()} />
}
