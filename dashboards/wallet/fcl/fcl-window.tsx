import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore, useMemo } from 'react'
import type { ReactNode } from 'react'
import { fclSignableOf } from '../../../clients/signing/fcl-shapes.ts'
import { fclSignatureOf, readFclSignable } from '../../../clients/signing/fcl-signable.ts'
import type { WantedSignature } from '../../../clients/signing/fcl-signable.ts'
import { signTransaction } from '../../../clients/signing/sign-transaction.ts'
import { useAuth } from '../../auth/auth-provider.tsx'
import { mayPass, problemText } from '../../auth/auth-service.ts'
import { SignInForm } from '../../auth/sign-in-form.tsx'
import { useAction } from '../../auth/action.tsx'
import { Brand, Button, Icon } from '../../kit/controls.tsx'
import { ErrorState, Loading } from '../../kit/state.tsx'
import { chainOfAddress } from '../chain/amounts.ts'
import { useOwnAccounts, useReadAgain } from '../own.ts'
import { createQueryClient } from '../../kit/query-client.ts'
import './fcl.css'
import { OpenerChannel } from './opener-channel.ts'
import type { AppRequest, ChannelState } from './opener-channel.ts'
import { AuthnWindow, UserSignatureWindow } from './windows.tsx'
import type { WindowProps } from './windows.tsx'
import { Decision, Refusal, useLeaving, useSigner } from './decision.tsx'
import { TransactionReview } from './transaction-review.tsx'
import { fclShapeProblem } from './services.ts'
import { fullAddress, summarize } from './transaction-summary.ts'
import type { TransactionSummary } from './transaction-summary.ts'

type Wanted =
  | { readonly wanted: WantedSignature; readonly address: string; readonly summary: TransactionSummary }
  | { readonly problem: string }

/** Signs a transaction for an application. The review reads the object that is encoded and signed. */
function AuthzWindow({ request, own, channel }: WindowProps): ReactNode {
  const read = useMemo(() => readRequest(request.body), [request])
  const account = useMemo(
    () => ('problem' in read ? undefined : own.find(({ address }) => address === read.address)),
    [own, read],
  )
  const found = useSigner(account, 'problem' in read ? undefined : read.wanted.signer.keyIndex)
  const { isBusy, problem, run } = useAction()
  const begin = useLeaving()
  if ('problem' in read) return <Refusal title="This cannot be signed" detail={read.problem} channel={channel} />
  const {
    wanted: { transaction, part },
    address,
    summary,
  } = read
  if (account === undefined) {
    return (
      <Refusal
        title="This is none of your accounts"
        detail={`The page wants ${address} to sign, and you are signed in as somebody who has other accounts.`}
        channel={channel}
        mayChange
      />
    )
  }
  if (found.status === 'problem')
    return (
      <Refusal title="Your account cannot sign this" detail={found.detail} channel={channel} onRetry={found.retry} />
    )

  const agree = (): void =>
    void run(async () => {
      if (found.status !== 'ready') return
      const left = begin()
      const signed = await signTransaction(transaction, found.signer, { signal: left })
      const signature = signed[part === 'envelope' ? 'envelopeSignatures' : 'payloadSignatures'].at(-1)
      if (left.aborted || signature === undefined) return
      channel.approve(fclSignatureOf(signature))
    })
  return (
    <>
      <h1>{summary.known?.name === 'send-flow' ? 'Send FLOW?' : 'Approve this transaction?'}</h1>
      <TransactionReview summary={summary} transaction={transaction} own={address} network={account.network} />
      <Decision
        action="Approve"
        isBusy={isBusy}
        isDisabled={found.status !== 'ready'}
        isDangerous={summary.warnings.length > 0}
        problem={problem}
        onAgree={agree}
        onDecline={() => channel.decline('The person declined the transaction.')}
      />
    </>
  )
}

function readRequest(body: unknown): Wanted {
  try {
    const wanted = readFclSignable(fclSignableOf(body))
    const address = fullAddress(wanted.signer.address)
    const chain = chainOfAddress(address)
    if (chain === undefined) return { problem: `${address} is an address of none of Flow's networks.` }
    return { wanted, address, summary: summarize(wanted.transaction, wanted.signer, chain) }
  } catch (error) {
    return { problem: fclShapeProblem(error) }
  }
}

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
      <ErrorState title="Nothing was signed" detail={detail} />
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
      <ErrorState
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
  const [client] = useState(() => createQueryClient({ mayRecover: mayPass }))
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
      <ErrorState title="Your accounts cannot be shown" detail={problemText(error)} onRetry={() => void readAgain()} />
    )
  }
  return <Shown request={request} own={data} channel={channel} readAgain={() => void readAgain()} />
}

interface WindowFrameProps {
  /** Of the application, as the browser says; what it says of itself is shown nowhere. */
  readonly origin?: string | undefined
  /** It sent another request after the one that is shown. */
  readonly hasMore?: boolean
  readonly children: ReactNode
}

/** A small window beside an application: above all who asks, and then what. */
function WindowFrame({ origin, hasMore = false, children }: WindowFrameProps): ReactNode {
  return (
    <div className="fcl">
      <header className="fcl-top">
        <Brand />
      </header>
      {origin !== undefined && (
        <p className="fcl-origin">
          <Icon name="globe" size={20} />
          <span>
            <span className="soft small">This page asks you</span>
            <b>{origin}</b>
          </span>
        </p>
      )}
      {hasMore && (
        <p className="banner" role="status">
          The page sent another request meanwhile. Nobody looked at it: what you see here is the first one.
        </p>
      )}
      <main id="main" className="fcl-main">
        {children}
      </main>
    </div>
  )
}
