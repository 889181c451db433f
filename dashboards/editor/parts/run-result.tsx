import type { ReactNode } from 'react'
import { applicationUrls } from '../../kit/application-urls.ts'
import { Badge, Icon } from '../../kit/controls.tsx'
import type { Tone } from '../../kit/controls.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import { errorParts, errorTitle } from '../run/script-kind.ts'
import { useStore } from '../project/project-state.ts'
import type { Runner, RunResult } from '../run/runner.ts'
import type { SentTransaction } from '../run/send-transaction.ts'
import { defaultNetwork, useSettings } from '../settings.ts'
import type { Network } from '../types.ts'
import { closedDepth, ValueTree } from './value-tree.tsx'

interface ResultProps<Result> {
  readonly result: Result
  readonly onGo: (line: number, column: number) => void
}

const stages = {
  signing: 'Waiting for your signature in the wallet…',
  sending: 'Sending the transaction…',
} as const

interface ResultRegionProps {
  readonly runner: Runner
  readonly path: string
  /** Without a result. */
  readonly idle: ReactNode
  /** Shows `idle` with a result too: above it, unless it failed. */
  readonly isIdleKept?: boolean
  readonly onGo: (line: number, column: number) => void
}

export function ResultRegion({ runner, path, idle, isIdleKept = false, onGo }: ResultRegionProps): ReactNode {
  const { running, stage, results } = useStore(runner)
  const isRunning = running === path
  const result = results.get(path)
  const isWaiting = isRunning && (stage !== undefined || result?.is !== 'sent')
  return (
    <div className="run-result" role="region" aria-label="Result" aria-busy={isRunning} tabIndex={0}>
      {isWaiting ? (
        <p className="soft">
          <span className="spinner" /> {stage === undefined ? 'Running the script…' : stages[stage]}
        </p>
      ) : result === undefined ? (
        idle
      ) : (
        <div className={hasFailed(result) ? 'kept-idle failed' : 'kept-idle'}>
          {isIdleKept && !isRunning && <div>{idle}</div>}
          <div>
            <RunResultView result={result} onGo={onGo} />
          </div>
        </div>
      )}
    </div>
  )
}

function hasFailed(result: RunResult): boolean {
  return result.is === 'failed' || (result.is === 'sent' && result.sent.error !== '')
}

function RunResultView({ result, onGo }: ResultProps<RunResult>): ReactNode {
  switch (result.is) {
    case 'done': {
      const raw = JSON.stringify(result.value, null, 2)
      return (
        <>
          <div className="result-head">
            <Badge tone="good">Done</Badge> <span className="soft small">{factsOf(result)}</span>{' '}
            <CopyButton text={raw} what="the raw value" />
          </div>
          <div className="value mono">
            <ValueTree value={result.value} />
          </div>
          <details className="raw">
            <summary>Raw value (JSON-CDC)</summary>
            <pre>{raw}</pre>
          </details>
        </>
      )
    }
    case 'failed':
      return (
        <>
          <div className="result-head">
            <Badge tone="bad">Failed</Badge> <b role="alert">{errorTitle(result.message)}</b>{' '}
            <span className="soft small">{factsOf(result)}</span>
          </div>
          {result.message.includes('\n') || errorTitle(result.message) !== result.message ? (
            <ErrorText message={result.message} onGo={onGo} />
          ) : null}
        </>
      )
    case 'sent':
      return <Sent {...result} onGo={onGo} />
  }
}

function factsOf({ ms, blockHeight }: { readonly ms?: number; readonly blockHeight?: string | undefined }): string {
  return [
    ...(ms === undefined ? [] : [`${Math.round(ms)} ms`]),
    ...(blockHeight === undefined ? [] : [`block ${Number(blockHeight).toLocaleString('en')}`]),
  ].join(' · ')
}

function ErrorText({
  message,
  onGo,
}: {
  readonly message: string
  readonly onGo: ResultProps<unknown>['onGo']
}): ReactNode {
  return (
    <pre className="result-error">
      {errorParts(message).map((part, at) =>
        part.kind === 'text' ? (
          part.text
        ) : (
          <button key={at} type="button" className="place" onClick={() => onGo(part.line, part.column)}>
            {part.text}
          </button>
        ),
      )}
    </pre>
  )
}

const maxEvents = 100
const maxOpenEvents = 12
const steps = ['Sent', 'Executed', 'Sealed'] as const

function Sent({
  sent,
  network,
  onGo,
}: {
  readonly sent: SentTransaction
  readonly network: Network
  readonly onGo: ResultProps<unknown>['onGo']
}): ReactNode {
  const settings = useSettings()
  const { explorer } = applicationUrls()
  const { id, status, error, computation, computeLimit, fee, events, note } = sent
  const [tone, label] = outcomeOf(sent)
  const reached = status === 'Sealed' ? 3 : status === 'Executed' ? 2 : 1
  return (
    <>
      <div className="result-head">
        <Badge tone={tone}>{label}</Badge>
        {error !== '' && <b role="alert">{errorTitle(error)}</b>}
        {error === '' && status !== 'Expired' && (
          <ol className="send-steps" aria-label="Progress">
            {steps.map((step, at) => (
              <li key={step} className={at < reached ? 'reached' : undefined}>
                {at < reached ? <Icon name="check" size={12} /> : <span className="spinner" />} {step}
              </li>
            ))}
          </ol>
        )}
      </div>
      {status === 'Expired' && <p>No block included the transaction in time. Nothing was changed. Send it again.</p>}
      {note !== undefined && (
        <p className="bad-text" role="status">
          {note}
        </p>
      )}
      <dl className="facts send-facts">
        <dt>Transaction</dt>
        <dd>
          <code>{id}</code> <CopyButton text={id} what="the transaction id" />
          {explorer !== undefined && network === defaultNetwork(settings) && (
            <a href={`${explorer}transaction/${id}`} target="_blank" rel="noreferrer noopener">
              Open in the explorer <Icon name="external" size={13} />
              <span className="visually-hidden"> (opens in a new tab)</span>
            </a>
          )}
        </dd>
        {fee !== undefined && (
          <>
            <dt>Computation</dt>
            <dd>
              {Number(computation).toLocaleString('en')} of {computeLimit.toLocaleString('en')}
            </dd>
            <dt>Fee</dt>
            <dd>{fee.replace(/0+$/, '').replace(/\.$/, '')} FLOW</dd>
          </>
        )}
      </dl>
      {error !== '' && <ErrorText message={error} onGo={onGo} />}
      {events.length > 0 && (
        <section className="events" aria-label="Events">
          <h3>Events</h3>
          <div className="mono">
            {events.slice(0, maxEvents).map(({ type, value }, at) => (
              <ValueTree
                key={at}
                value={value ?? { type, value: 'not readable' }}
                depth={type.includes('.FlowFees.') || events.length > maxOpenEvents ? closedDepth : 0}
              />
            ))}
          </div>
          {events.length > maxEvents && <p className="soft">{events.length - maxEvents} more.</p>}
        </section>
      )}
    </>
  )
}

function outcomeOf({ status, error }: SentTransaction): readonly [Tone, string] {
  if (status === 'Expired') return ['bad', 'Expired']
  if (error !== '') return ['bad', 'Failed']
  return status === 'Sealed' ? ['good', 'Sealed'] : ['busy', status === 'Executed' ? 'Executed' : 'Sent']
}
