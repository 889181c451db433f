import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { amountUnits } from '../../../clients/signing/transactions/cadence-arguments.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { sendFlow } from '../../../clients/signing/transactions/make-transaction.ts'
import { ProblemLine } from '../../auth/problem-line.tsx'
import { problemText, WalletProblem, wasNotGiven } from '../../auth/problem.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { plainAmount } from '../chain/amounts.ts'
import { readAccount } from '../chain/chain-client.ts'
import { isUndecided, sendTransaction } from '../chain/send-transaction.ts'
import type { OwnAccount, SendStage } from '../chain/send-transaction.ts'
import { useReadAgain } from '../own.ts'
import { networkNames, networkSettings, useSettings } from '../settings.ts'

export interface Payment {
  readonly account: OwnAccount
  readonly to: string
  /** As it was typed: decimal text. */
  readonly amount: string
  readonly chain: FlowChain
}

interface SendReviewProps {
  readonly payment: Payment
  readonly onBack: () => void
  readonly onAgain: () => void
  readonly onEnd: () => void
}

/** What will be sent, in words; then its way to the chain. */
export function SendReview({ payment, onBack, onAgain, onEnd }: SendReviewProps): ReactNode {
  const settings = useSettings()
  const { account, to, amount, chain } = payment
  const { network } = account
  const readAgain = useReadAgain()
  const [stage, setStage] = useState<{ readonly name: SendStage; readonly id?: string | undefined }>()
  const [problem, setProblem] = useState<string>()
  const [isOpen, setIsOpen] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const leaving = useRef<AbortController>(undefined)
  const recipient = useQuery({
    queryKey: ['recipient', network, to],
    queryFn: ({ signal }) => readAccount(network, to, signal),
    staleTime: 30_000,
  })
  const isMissing = recipient.error instanceof WalletProblem && recipient.error.status === 404
  useEffect(() => {
    heading.current?.focus()
    return () => leaving.current?.abort(new DOMException('The page was left.', 'AbortError'))
  }, [])

  const send = async (): Promise<void> => {
    const control = new AbortController()
    leaving.current = control
    setProblem(undefined)
    try {
      await sendTransaction({
        rpId: settings.rp_id,
        account,
        code: (current) => sendFlow(current, { amount: amountUnits(amount), to }),
        signal: control.signal,
        onStage: (name, id) => setStage((before) => ({ name, id: id ?? before?.id })),
      })
    } catch (error) {
      if (control.signal.aborted) return
      setProblem(problemText(error))
      setIsOpen(isUndecided(error))
      // What was refused before it was sent may be tried again.
      setStage((before) =>
        isUndecided(error) || (before?.id !== undefined && !wasNotGiven(error)) ? before : undefined,
      )
    } finally {
      if (!control.signal.aborted) await readAgain()
    }
  }
  const explorer = networkSettings(settings, network)?.explorer_url ?? null
  const isSealed = stage?.name === 'sealed'
  const hasFailed = problem !== undefined && stage !== undefined
  return (
    <section className="panel send-form" aria-labelledby="review-title">
      <h2 id="review-title" ref={heading} tabIndex={-1}>
        {isSealed ? 'Sent' : hasFailed ? (isOpen ? 'Not known yet' : 'Not done') : 'Is this right?'}
      </h2>
      <p className="sum">
        <b>{plainAmount(amount)}</b> FLOW
      </p>
      <dl className="facts">
        <dt>To</dt>
        <dd>
          <code className="wrap">{to}</code>
        </dd>
        <dt>From</dt>
        <dd>
          <code className="wrap">{account.address}</code>
        </dd>
        <dt>Network</dt>
        <dd>
          <Badge tone={network === 'mainnet' ? 'good' : 'warn'}>{networkNames[network]}</Badge>
          {chain === 'emulator' && <span className="soft"> simulated</span>}
        </dd>
        <dt>Fee</dt>
        <dd className="soft">Less than 0.01 FLOW, paid by you</dd>
      </dl>
      {stage === undefined && isMissing && (
        <p className="banner bad" role="alert">
          The chain has no account at this address. What is sent there does not arrive.
        </p>
      )}
      {stage !== undefined && <SendSteps stage={stage.name} hasFailed={hasFailed} />}
      <ProblemLine problem={problem} />
      {isSealed && (
        <p className="done-line" role="status">
          <Icon name="check" size={20} /> The chain has it, for good.
        </p>
      )}
      <div className="button-row">
        {stage === undefined && (
          <Button look="strong" disabled={isMissing} onClick={() => void send()}>
            <Icon name="key" /> {problem === undefined ? 'Send with your passkey' : 'Try again'}
          </Button>
        )}
        {stage === undefined && <Button onClick={onBack}>Change it</Button>}
        {stage?.id !== undefined && explorer !== null && (
          <a className="button" href={`${explorer}/transaction/${stage.id}`} target="_blank" rel="noreferrer">
            See it in the explorer <Icon name="external" size={14} />
          </a>
        )}
        {(isSealed || hasFailed) && <Button onClick={onAgain}>Send more</Button>}
        {(isSealed || hasFailed) && (
          <Button look="plain" onClick={onEnd}>
            To the accounts
          </Button>
        )}
      </div>
    </section>
  )
}

const steps = [
  { name: 'Signed by your passkey', now: 'Your passkey signs…', from: 'sending' },
  { name: 'Sent to the network', now: 'It is sent…', from: 'sent' },
  { name: 'Run in a block', now: 'A block takes it…', from: 'executed' },
  { name: 'Sealed', now: 'The network seals it…', from: 'sealed' },
] as const satisfies readonly { readonly name: string; readonly now: string; readonly from: SendStage }[]
const order: readonly SendStage[] = ['preparing', 'signing', 'sending', 'sent', 'executed', 'sealed']

/** How far a transaction is. */
function SendSteps({ stage, hasFailed }: { readonly stage: SendStage; readonly hasFailed: boolean }): ReactNode {
  const at = order.indexOf(stage)
  const current = steps.findIndex(({ from }) => order.indexOf(from) > at)
  return (
    <ol className="steps" aria-label="How far it is" aria-live="polite">
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
