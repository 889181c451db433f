import { useQuery } from '@tanstack/react-query'
import { useRef, useState, useEffect } from 'react'
import type { ReactNode } from 'react'
import { readKnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { Badge, Button, Icon } from '../../kit/controls.tsx'
import { Ago } from '../../kit/time.tsx'
import { readAccount, isUndecided, sendTransaction } from '../chain/chain-client.ts'
import type { OwnAccount, SendStage } from '../chain/chain-client.ts'
import { useReportSigned } from '../chain/report-signature.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useRefresh, networkSettings, useSettings } from '../own-data.ts'
import { ProblemLine } from '../../auth/action.tsx'
import { problemText, wasDismissed } from '../../auth/auth-service.ts'
import { ApiProblem } from '../../kit/api.ts'
import type { ContactRow } from '../types.ts'
import { EstimatedChanges } from './estimated-changes.tsx'

export interface Payment {
  readonly account: OwnAccount
  /** Flow or EVM address. */
  readonly to: string
  readonly contact: ContactRow | undefined
  readonly chain: FlowChain
  readonly code: (chain: FlowChain) => TransactionCode
  /** `1.5 FLOW`, `Heron #7`. */
  readonly what: readonly [strong: string, rest: string]
  readonly dollars: string | undefined
  /** Sent from the account's EVM account. */
  readonly erc20?: { readonly contract: string; readonly from: string } | undefined
}

interface SendReviewProps {
  readonly payment: Payment
  readonly onBack: () => void
  readonly onAgain: () => void
  readonly onEnd: () => void
}

export function SendReview({ payment, onBack, onAgain, onEnd }: SendReviewProps): ReactNode {
  const settings = useSettings()
  const { account, to, contact, chain, code, what, dollars, erc20 } = payment
  const { network } = account
  const isEvm = to.length > 18
  const reload = useRefresh()
  const onSigned = useReportSigned()
  const [stage, setStage] = useState<{ readonly name: SendStage; readonly id?: string | undefined }>()
  const [problem, setProblem] = useState<string>()
  const [isOpen, setIsOpen] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const unmount = useRef<AbortController>(undefined)
  const recipient = useQuery({
    queryKey: ['recipient', network, to],
    queryFn: ({ signal }) => readAccount(network, to, signal),
    enabled: !isEvm,
    staleTime: 30_000,
  })
  const isMissing = recipient.error instanceof ApiProblem && recipient.error.status === 404
  useEffect(() => {
    heading.current?.focus()
    return () => unmount.current?.abort(new DOMException('The user left the page.', 'AbortError'))
  }, [])

  const send = async (): Promise<void> => {
    const control = new AbortController()
    unmount.current = control
    setProblem(undefined)
    try {
      await sendTransaction({
        rpId: settings.rp_id,
        account,
        code,
        onSigned,
        signal: control.signal,
        onStage: (name, id) => setStage((before) => ({ name, id: id ?? before?.id })),
      })
    } catch (error) {
      if (control.signal.aborted) return
      setProblem(problemText(error))
      setIsOpen(isUndecided(error))
      setStage((before) =>
        isUndecided(error) || (before?.id !== undefined && !wasDismissed(error)) ? before : undefined,
      )
    } finally {
      if (!control.signal.aborted) await reload()
    }
  }
  const known = readKnownTransaction(code(chain), chain)
  const explorer = networkSettings(settings, network)?.explorer_url ?? null
  const isSealed = stage?.name === 'sealed'
  const hasFailed = problem !== undefined && stage !== undefined
  return (
    <section className="panel send-form" aria-labelledby="review-title">
      <h2 id="review-title" ref={heading} tabIndex={-1}>
        {isSealed ? 'Sent' : hasFailed ? (isOpen ? 'Outcome unknown' : 'Payment failed') : 'Review the payment'}
      </h2>
      <p className="sum">
        <b>{what[0]}</b> {what[1]}
        {dollars !== undefined && <span className="soft small"> about {dollars}</span>}
      </p>
      <dl className="facts">
        <dt>To</dt>
        <dd>
          {contact !== undefined && <b className="wrap">{contact.name} </b>}
          <code className="wrap">{to}</code>
          {contact !== undefined && (
            <span className="soft">
              {' '}
              added <Ago at={contact.addedAt} />
            </span>
          )}
          {isEvm && <span className="soft"> on Flow EVM</span>}
        </dd>
        <dt>From</dt>
        <dd>
          <code className="wrap">{erc20?.from ?? account.address}</code>
          {erc20 !== undefined && <span className="soft"> EVM account of {account.address}</span>}
        </dd>
        {erc20 !== undefined && (
          <>
            <dt>Token contract</dt>
            <dd>
              <code className="wrap">{erc20.contract}</code>
            </dd>
          </>
        )}
        <dt>Network</dt>
        <dd>
          <Badge tone={network === 'mainnet' ? 'good' : 'warn'}>{networkNames[network]}</Badge>
          {chain === 'emulator' && <span className="soft"> simulated</span>}
        </dd>
      </dl>
      {stage === undefined && known !== undefined && <EstimatedChanges known={known} />}
      {stage === undefined && isMissing && (
        <p className="banner bad" role="alert">
          No account exists at this address. The transfer would fail.
        </p>
      )}
      {stage !== undefined && <SendSteps stage={stage.name} hasFailed={hasFailed} />}
      <ProblemLine problem={problem} />
      {isSealed && (
        <p className="done-line" role="status">
          <Icon name="check" size={20} /> The transaction is sealed.
        </p>
      )}
      <div className="button-row">
        {stage === undefined && (
          <Button look="strong" disabled={isMissing} onClick={() => void send()}>
            <Icon name="key" /> {problem === undefined ? 'Send with your passkey' : 'Retry'}
          </Button>
        )}
        {stage === undefined && <Button onClick={onBack}>Edit</Button>}
        {stage?.id !== undefined && explorer !== null && (
          <a className="button" href={`${explorer}/transaction/${stage.id}`} target="_blank" rel="noreferrer">
            View in the explorer <Icon name="external" size={14} />
          </a>
        )}
        {(isSealed || hasFailed) && <Button onClick={onAgain}>New payment</Button>}
        {(isSealed || hasFailed) && (
          <Button look="plain" onClick={onEnd}>
            Back to accounts
          </Button>
        )}
      </div>
    </section>
  )
}

const steps = [
  { name: 'Signed by your passkey', now: 'Waiting for your passkey…', from: 'sending' },
  { name: 'Sent to the network', now: 'Sending…', from: 'sent' },
  { name: 'Executed in a block', now: 'Waiting for a block…', from: 'executed' },
  { name: 'Sealed', now: 'Waiting for the seal…', from: 'sealed' },
] as const satisfies readonly { readonly name: string; readonly now: string; readonly from: SendStage }[]
const order: readonly SendStage[] = ['preparing', 'signing', 'sending', 'sent', 'executed', 'sealed']

function SendSteps({ stage, hasFailed }: { readonly stage: SendStage; readonly hasFailed: boolean }): ReactNode {
  const at = order.indexOf(stage)
  const current = steps.findIndex(({ from }) => order.indexOf(from) > at)
  return (
    <ol className="steps" aria-label="Progress" aria-live="polite">
      {steps.map(({ name, now }, i) => {
        const look = current < 0 || i < current ? 'done' : i === current ? (hasFailed ? 'bad' : 'now') : 'later'
        return (
          <li key={name} className={look}>
            <span className="step-sign" aria-hidden="true">
              {look === 'done' && <Icon name="check" size={14} />}
              {look === 'bad' && <Icon name="cross" size={14} />}
              {look === 'now' && <span className="spinner" />}
            </span>
            {look === 'now' ? now : name}
          </li>
        )
      })}
    </ol>
  )
}
