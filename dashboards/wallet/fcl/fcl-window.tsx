import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore, useMemo } from 'react'
import type { ReactNode } from 'react'
import { base64UrlOf } from '../../../clients/signing/bytes.ts'
import { fclSignableOf } from '../../../clients/signing/fcl-shapes.ts'
import { fclSignatureOf, readFclSignable } from '../../../clients/signing/fcl-signable.ts'
import type { SignatureRequest } from '../../../clients/signing/fcl-signable.ts'
import { signTransaction } from '../../../clients/signing/sign-transaction.ts'
import { useAuth } from '../../auth/auth-provider.tsx'
import { isRetryable, problemText } from '../../auth/auth-service.ts'
import { SignInForm } from '../../auth/sign-in-form.tsx'
import { useAction } from '../../auth/action.tsx'
import { ApiProblem } from '../../kit/api.ts'
import { Brand, Button, Icon } from '../../kit/controls.tsx'
import { ErrorState, Loading } from '../../kit/state.tsx'
import { chainOfAddress } from '../chain/amounts.ts'
import { countSpending } from '../chain/app-policies.ts'
import type { Signing, Spend } from '../chain/app-policies.ts'
import { reportSignature } from '../chain/passkeys.ts'
import { describeCode } from '../chain/report-signature.ts'
import { useOwnAccounts, useRefresh } from '../own-data.ts'
import { createQueryClient } from '../../kit/query-client.ts'
import './fcl.css'
import { OpenerChannel } from './opener-channel.ts'
import type { AppRequest, ChannelState } from './opener-channel.ts'
import { AuthnWindow, UserSignatureWindow } from './windows.tsx'
import type { WindowProps } from './windows.tsx'
import { Decision, Refusal, useUnmountSignal, useSigner } from './decision.tsx'
import { useAppLimits } from './app-limits.tsx'
import { spendOf } from './spend.ts'
import { TransactionReview } from './transaction-review.tsx'
import { fclShapeProblem } from './services.ts'
import { fullAddress, summarize } from './transaction-summary.ts'
import type { TransactionSummary } from './transaction-summary.ts'

type Wanted =
  | {
      readonly signature: SignatureRequest
      readonly address: string
      readonly summary: TransactionSummary
      readonly spend: Spend
    }
  | { readonly problem: string }

/** The review reads the object that is encoded and signed. */
function AuthzWindow({ request, own, channel }: WindowProps): ReactNode {
  const auth = useAuth()
  const read = useMemo(() => readRequest(request.body), [request])
  const account = useMemo(
    () => ('problem' in read ? undefined : own.find(({ address }) => address === read.address)),
    [own, read],
  )
  const found = useSigner(account, 'problem' in read ? undefined : read.signature.signer.keyIndex)
  const signing = useMemo((): Signing | undefined => {
    if ('problem' in read || account === undefined) return undefined
    return { origin: request.origin, network: account.network, spend: read.spend }
  }, [read, account, request])
  const { decision, note } = useAppLimits(signing)
  const { isBusy, problem, run } = useAction()
  const begin = useUnmountSignal()
  if ('problem' in read)
    return <Refusal title="Could not sign the transaction" detail={read.problem} channel={channel} />
  const {
    signature: { transaction, part },
    address,
    summary,
  } = read
  if (account === undefined) {
    return (
      <Refusal
        title="This is not one of your accounts"
        detail={`The app requires the account ${address}, and you are signed in as a user with other accounts.`}
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
      if (found.status !== 'ready' || signing === undefined) return
      const left = begin()
      const signed = await signTransaction(transaction, found.signer, { signal: left })
      const signature = signed[part === 'envelope' ? 'envelopeSignatures' : 'payloadSignatures'].at(-1)
      if (left.aborted || signature === undefined) return
      // Counted before the application receives the signature.
      const counted = decision === 'none' ? undefined : await countSpending(auth, signing)
      if (counted?.decision === 'over' || counted?.decision === 'refuse')
        throw new ApiProblem(409, 'over-limit', 'Your limit for this app was used up meanwhile. The app got nothing.')
      const chain = chainOfAddress(address)
      if (chain !== undefined)
        void describeCode(transaction, chain).then((described) =>
          reportSignature(auth, {
            kind: 'transaction',
            origin: request.origin,
            network: account.network,
            address,
            credentialId: base64UrlOf(found.signer.credentialId),
            ...described,
          }),
        )
      channel.approve(fclSignatureOf(signature))
    })
  return (
    <>
      <h1>{summary.known?.name === 'send-flow' ? 'Send FLOW?' : 'Approve this transaction?'}</h1>
      <TransactionReview summary={summary} transaction={transaction} own={address} network={account.network} />
      {note}
      <Decision
        action={decision === 'over' || decision === 'refuse' ? undefined : 'Approve'}
        isBusy={isBusy}
        isDisabled={found.status !== 'ready' || decision === undefined}
        isDangerous={summary.warnings.length > 0}
        problem={problem}
        onAgree={agree}
        onDecline={() => channel.decline('The user declined the transaction.')}
      />
    </>
  )
}

function readRequest(body: unknown): Wanted {
  try {
    const signature = readFclSignable(fclSignableOf(body))
    const address = fullAddress(signature.signer.address)
    const chain = chainOfAddress(address)
    if (chain === undefined) return { problem: `${address} is not an address of any Flow network.` }
    const summary = summarize(signature.transaction, signature.signer, chain)
    return { signature, address, summary, spend: spendOf(summary, chain) }
  } catch (error) {
    return { problem: fclShapeProblem(error) }
  }
}

const windows: Readonly<Record<string, (props: WindowProps) => ReactNode>> = {
  '/fcl/authn': AuthnWindow,
  '/fcl/authz': AuthzWindow,
  '/fcl/user-signature': UserSignatureWindow,
}

/** One per window, however often React renders it. */
const channel = new OpenerChannel(window)

export function isFclPath(path: string): boolean {
  return Object.hasOwn(windows, path)
}

export function FclWindow({ path }: { readonly path: string }): ReactNode {
  const state = useSyncExternalStore(channel.subscribe, () => channel.state)
  useEffect(() => {
    document.title = 'Request – flowfarm wallet'
    channel.start()
  }, [])
  if (state.status === 'waiting')
    return (
      <WindowFrame>
        <h1>Loading the request</h1>
        <Loading label="Waiting for the request of the app…" rows={2} />
      </WindowFrame>
    )
  if (state.status === 'refused')
    return (
      <WindowFrame origin={state.origin}>
        <Refused state={state} />
      </WindowFrame>
    )
  if (state.status === 'responded') {
    return (
      <WindowFrame origin={state.request.origin}>
        <h1>{state.answer === 'approved' ? 'Done' : 'Declined'}</h1>
        <p className="done-line" role="status">
          <Icon name={state.answer === 'approved' ? 'check' : 'cross'} size={20} /> The app has your answer. You can
          close this window.
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
  alone: ['No app opened this window', 'This window shows requests of apps. To see your accounts, open the wallet.'],
  unsafe: [
    'Requests from this page are not accepted',
    'The page was not loaded over HTTPS, so it may have been tampered with.',
  ],
  unreadable: ['Could not read the request', 'The request is too long or has an invalid form.'],
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
              Open the wallet
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
  const { state, sessionManager } = useAuth()
  if (state.status === 'loading') return <Loading label="Checking your session…" rows={2} />
  if (state.status === 'unknown')
    return (
      <ErrorState
        title="Could not check your session"
        detail={state.detail}
        onRetry={() => void sessionManager.load()}
      />
    )
  if (state.status === 'signed-out') {
    return (
      <div className="fcl-sign-in">
        <SignInForm>
          <h1>Sign in to your wallet</h1>
          <p className="soft">Then review the request of the app.</p>
        </SignInForm>
        <Button look="plain" onClick={() => channel.decline('The user did not sign in.')}>
          Decline
        </Button>
      </div>
    )
  }
  return <Person key={state.session.user.id} path={path} request={request} />
}

/** A separate cache per user. */
function Person({ path, request }: { readonly path: string; readonly request: AppRequest }): ReactNode {
  const [client] = useState(() => createQueryClient({ mayRecover: isRetryable }))
  return (
    <QueryClientProvider client={client}>
      <Request path={path} request={request} />
    </QueryClientProvider>
  )
}

function Request({ path, request }: { readonly path: string; readonly request: AppRequest }): ReactNode {
  const { data, error } = useOwnAccounts()
  const reload = useRefresh()
  const RequestView = windows[path]
  if (RequestView === undefined) return null
  if (data === undefined) {
    return error === null ? (
      <Loading label="Loading your accounts…" />
    ) : (
      <ErrorState title="Could not load your accounts" detail={problemText(error)} onRetry={() => void reload()} />
    )
  }
  return <RequestView request={request} own={data} channel={channel} reload={() => void reload()} />
}

interface WindowFrameProps {
  /** From the browser; the application's own claims are not shown. */
  readonly origin?: string | undefined
  readonly hasMore?: boolean
  readonly children: ReactNode
}

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
            <span className="soft small">Request from</span>
            <b>{origin}</b>
          </span>
        </p>
      )}
      {hasMore && (
        <p className="banner" role="status">
          The app sent another request, which was ignored. This is the first one.
        </p>
      )}
      <main id="main" className="fcl-main">
        {children}
      </main>
    </div>
  )
}
