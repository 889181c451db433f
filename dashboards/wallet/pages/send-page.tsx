import { useQuery } from '@tanstack/react-query'
import { useRef, useState, useEffect } from 'react'
import type { ReactNode } from 'react'
import { amountText, amountUnits } from '../../../clients/signing/transactions/cadence-arguments.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { navigate, useSearchValue } from '../../kit/router.tsx'
import { Badge, Button, Form, Icon } from '../../kit/controls.tsx'
import { Loading, EmptyState } from '../../kit/state.tsx'
import { amountProblem, maxToSend, plainAmount, chainOfAddress, isAddressOf, readAddress } from '../chain/amounts.ts'
import { readHead, readAccount, isUndecided, sendTransaction } from '../chain/chain-client.ts'
import type { OwnAccount, SendStage } from '../chain/chain-client.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useChainAccount, useOwnAccounts, useRefresh, networkSettings, useSettings } from '../own-data.ts'
import { PageTitle } from './layout.tsx'
import { ProblemLine } from '../../auth/action.tsx'
import { problemText, wasDismissed } from '../../auth/auth-service.ts'
import { ApiProblem } from '../../kit/api.ts'
import { sendFlow } from '../../../clients/signing/transactions/make-transaction.ts'

const nameOf = ({ network, address }: OwnAccount): string => `${network}:${address}`

export function SendPage(): ReactNode {
  const { data: accounts, error } = useOwnAccounts()
  return (
    <>
      <PageTitle title="Send FLOW" />
      {accounts === undefined && (
        <div className="panel">
          {error === null ? <Loading label="Loading your accounts…" /> : <ProblemLine problem={problemText(error)} />}
        </div>
      )}
      {accounts?.length === 0 && (
        <div className="panel">
          <EmptyState title="No account to send from">Create one on the Accounts page.</EmptyState>
        </div>
      )}
      {accounts !== undefined && accounts.length > 0 && <SendForm accounts={accounts} />}
    </>
  )
}

function SendForm({ accounts }: { readonly accounts: readonly OwnAccount[] }): ReactNode {
  const [from, setFrom] = useSearchValue('from')
  const account = accounts.find((one) => nameOf(one) === from) ?? accounts[0]
  const [to, setTo] = useState('')
  const [amount, setAmount] = useState('')
  const [wasTried, setWasTried] = useState(false)
  const [payment, setPayment] = useState<Payment>()
  const toField = useRef<HTMLInputElement>(null)
  const amountField = useRef<HTMLInputElement>(null)
  const network = account?.network ?? 'testnet'
  const { data: state } = useChainAccount(network, account?.address)
  const { data: head, error: headError } = useQuery({
    queryKey: ['head', network],
    queryFn: ({ signal }) => readHead(network, signal),
    staleTime: 60_000,
  })
  if (account === undefined) return null

  const address = readAddress(to)
  const toProblem = recipientProblem(address, account, head?.chain)
  const sumProblem = amountProblem(amount, state?.balance)
  const review = (): void => {
    setWasTried(true)
    if (toProblem !== undefined) toField.current?.focus()
    else if (sumProblem !== undefined) amountField.current?.focus()
    else if (address !== undefined && head !== undefined)
      setPayment({ account, to: address, amount, chain: head.chain })
  }
  const startAgain = (): void => {
    setPayment(undefined)
    setTo('')
    setAmount('')
    setWasTried(false)
  }
  if (payment !== undefined)
    return (
      <SendReview
        payment={payment}
        onBack={() => setPayment(undefined)}
        onAgain={startAgain}
        onEnd={() => navigate('/')}
      />
    )
  return (
    <Form className="panel send-form" noValidate onSubmit={review}>
      <label className="field">
        <span>From</span>
        <select className="input" value={nameOf(account)} onChange={(event) => setFrom(event.target.value)}>
          {accounts.map((one) => (
            <option key={nameOf(one)} value={nameOf(one)}>
              {networkNames[one.network]} · {one.address}
            </option>
          ))}
        </select>
      </label>
      <div className="field">
        <label htmlFor="send-to">To</label>
        <input
          ref={toField}
          id="send-to"
          className="input mono"
          value={to}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="0x"
          maxLength={40}
          aria-invalid={wasTried && toProblem !== undefined}
          aria-describedby="send-to-problem"
          onChange={(event) => setTo(event.target.value)}
        />
        <p id="send-to-problem" className="field-error" role="status">
          {wasTried || address !== undefined ? toProblem : undefined}
        </p>
      </div>
      <div className="field">
        <label htmlFor="send-amount">Amount in FLOW</label>
        <div className="with-button">
          <input
            ref={amountField}
            id="send-amount"
            className="input"
            inputMode="decimal"
            value={amount}
            autoComplete="off"
            placeholder="0.0"
            maxLength={24}
            aria-invalid={wasTried && sumProblem !== undefined}
            aria-describedby="send-amount-problem"
            onChange={(event) => setAmount(event.target.value.trim())}
          />
          <Button
            disabled={state === undefined}
            onClick={() =>
              setAmount(state === undefined ? '' : amountText(maxToSend(state.balance)).replace(/\.?0+$/, '') || '0')
            }
          >
            All
          </Button>
        </div>
        <p className="soft small">
          {state === undefined ? 'Loading the balance…' : `Balance: ${plainAmount(state.balance)} FLOW`}
        </p>
        <p id="send-amount-problem" className="field-error" role="status">
          {wasTried || amount !== '' ? sumProblem : undefined}
        </p>
      </div>
      <ProblemLine problem={headError === null ? undefined : problemText(headError)} />
      <Button type="submit" look="strong" disabled={head === undefined}>
        Review
      </Button>
    </Form>
  )
}

function recipientProblem(
  address: string | undefined,
  account: OwnAccount,
  chain: FlowChain | undefined,
): string | undefined {
  if (address === undefined) return 'Enter the full address: 0x and 16 hex digits.'
  if (address === account.address) return 'This is the account that you send from.'
  if (chain === undefined || isAddressOf(address, chain)) return undefined
  const other = chainOfAddress(address)
  return other === undefined
    ? 'Invalid address: a digit is wrong.'
    : `This is an address of ${other}. Your account is on ${chain}.`
}

interface Payment {
  readonly account: OwnAccount
  readonly to: string
  /** Decimal text as typed. */
  readonly amount: string
  readonly chain: FlowChain
}

interface SendReviewProps {
  readonly payment: Payment
  readonly onBack: () => void
  readonly onAgain: () => void
  readonly onEnd: () => void
}

function SendReview({ payment, onBack, onAgain, onEnd }: SendReviewProps): ReactNode {
  const settings = useSettings()
  const { account, to, amount, chain } = payment
  const { network } = account
  const reload = useRefresh()
  const [stage, setStage] = useState<{ readonly name: SendStage; readonly id?: string | undefined }>()
  const [problem, setProblem] = useState<string>()
  const [isOpen, setIsOpen] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const unmount = useRef<AbortController>(undefined)
  const recipient = useQuery({
    queryKey: ['recipient', network, to],
    queryFn: ({ signal }) => readAccount(network, to, signal),
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
        code: (current) => sendFlow(current, { amount: amountUnits(amount), to }),
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
  const explorer = networkSettings(settings, network)?.explorer_url ?? null
  const isSealed = stage?.name === 'sealed'
  const hasFailed = problem !== undefined && stage !== undefined
  return (
    <section className="panel send-form" aria-labelledby="review-title">
      <h2 id="review-title" ref={heading} tabIndex={-1}>
        {isSealed ? 'Sent' : hasFailed ? (isOpen ? 'Outcome unknown' : 'Payment failed') : 'Review the payment'}
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
