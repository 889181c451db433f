import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../kit/api.ts'
import { Badge, Button, FieldError, Form, Icon } from '../kit/controls.tsx'
import { Modal } from '../kit/dialog.tsx'
import { escapeInvisible } from '../kit/result-table.ts'
import { EmptyState } from '../kit/state.tsx'
import { Ago } from '../kit/time.tsx'
import type { Alert, AlertProposal, AlertRun } from './answers.gen.ts'
import { AlertDialog, conditionTexts } from './alert-dialog.tsx'
import { api, queryClient, queryKeys, useAlert, useAlerts } from './api.ts'
import type { Target } from './draft.ts'
import { DeleteDialog, ListState } from './lists.tsx'

export function AlertList({ target }: { readonly target: Target }): ReactNode {
  const alerts = useAlerts()
  const [question, setQuestion] = useState('')
  const [proposal, setProposal] = useState<AlertProposal>()
  const [shown, setShown] = useState<string>()
  const [deleted, setDeleted] = useState<Alert>()
  const id = useId()
  const proposing = useMutation({
    mutationFn: () => api.proposeAlert(target, question.trim()),
    onSuccess: setProposal,
  })
  if (alerts.data === undefined) return <ListState list={alerts} what="alerts" />
  return (
    <>
      <Form className="alert-question" onSubmit={() => proposing.mutate()}>
        <label htmlFor={id}>Tell me when…</label>
        <input
          id={id}
          className="input"
          required
          maxLength={4000}
          placeholder="the newest indexed block is above 200 million"
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <Button type="submit" disabled={proposing.isPending}>
          {proposing.isPending ? 'Writing the SQL…' : 'Review alert'}
        </Button>
        <FieldError>{proposing.error === null ? undefined : problemText(proposing.error)}</FieldError>
      </Form>
      {alerts.data.length === 0 && (
        <EmptyState title="No alerts yet">Write a question above, or SQL and choose Create alert.</EmptyState>
      )}
      <ul className="choices">
        {alerts.data.map((alert) => (
          <li key={alert.id} className="with-action">
            <button type="button" onClick={() => setShown(alert.id)}>
              <span className="choice-text">{escapeInvisible(alert.name)}</span>
              <span className="note">
                <AlertState alert={alert} /> {conditionText(alert)}
              </span>
            </button>
            <Button
              look="plain"
              isSmall
              isIcon
              aria-label={`Delete alert “${alert.name}”`}
              onClick={() => setDeleted(alert)}
            >
              <Icon name="cross" size={14} />
            </Button>
          </li>
        ))}
      </ul>
      {proposal !== undefined && (
        <AlertDialog
          draft={{
            name: proposal.name,
            target: proposal.target,
            question: proposal.question,
            sql: proposal.sql,
            condition: proposal.condition,
            interval_seconds: proposal.interval_seconds,
          }}
          onClose={() => setProposal(undefined)}
        />
      )}
      {shown !== undefined && <AlertModal id={shown} onClose={() => setShown(undefined)} />}
      {deleted !== undefined && (
        <DeleteDialog
          what="alert"
          name={deleted.name}
          remove={() => api.deleteAlert(deleted.id)}
          queryKey={queryKeys.alerts}
          onClose={() => setDeleted(undefined)}
        >
          It is deleted with its history for all users of this service.
        </DeleteDialog>
      )}
    </>
  )
}

function AlertState({ alert }: { readonly alert: Alert }): ReactNode {
  if (alert.state !== 'active') return <Badge tone="warn">{alert.state}</Badge>
  if (alert.last_error !== null) return <Badge tone="bad">failing</Badge>
  return alert.is_met === true ? <Badge tone="busy">true</Badge> : <Badge>watching</Badge>
}

function conditionText({ condition }: Alert): string {
  const text = conditionTexts[condition.kind]
  return condition.kind === 'compare' ? `${text} ${condition.operator} ${condition.number}` : text
}

function outcomeOf({ has_fired: hasFired, is_met: isMet }: AlertRun): string {
  if (hasFired) return 'fired'
  return isMet === true ? 'true' : 'false'
}

const pausedTexts = {
  owner: 'Paused by a user.',
  failures: 'Paused because the SQL failed five times in a row.',
  webhook: 'Paused because the operator deleted its endpoint. Create the alert again.',
  unsubscribed: 'Paused because the recipient unsubscribed. To ask again, create a new alert.',
  mail: 'Paused because an e-mail could not be sent.',
} as const

function AlertModal({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const details = useAlert(id)
  const acting = useMutation({
    mutationFn: (action: 'pause' | 'resume' | 'run') => api.actOnAlert(id, action),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.alerts }),
  })
  if (details.data === undefined)
    return (
      <Modal title="Alert" onClose={onClose}>
        <ListState list={details} what="the alert" />
      </Modal>
    )
  const { alert, runs, deliveries } = details.data
  const isPaused = alert.state !== 'active'
  const isUnconfirmed = alert.state === 'unconfirmed'
  return (
    <Modal title={escapeInvisible(alert.name)} isWide onClose={onClose}>
      <div className="body alert-details">
        <p>
          <AlertState alert={alert} /> {conditionText(alert)}
        </p>
        {alert.paused_reason !== null && <p>{pausedTexts[alert.paused_reason]}</p>}
        {isUnconfirmed && <p>The recipient must open the e-mailed link within 24 hours.</p>}
        {alert.last_error !== null && <p className="field-error wrap">{escapeInvisible(alert.last_error)}</p>}
        <pre className="sql-text" tabIndex={0} aria-label="SQL">
          {escapeInvisible(alert.sql)}
        </pre>
        {alert.parameters.map(({ name, value }) => (
          <p key={name} className="soft wrap">
            {name}: {escapeInvisible(value)}
          </p>
        ))}
        <p className="soft wrap">{alert.url ?? alert.email}</p>
        <div className="button-row">
          <Button
            disabled={acting.isPending || alert.paused_reason === 'unsubscribed'}
            onClick={() => acting.mutate(isPaused ? 'resume' : 'pause')}
          >
            {isUnconfirmed ? 'Send the e-mail again' : isPaused ? 'Resume' : 'Pause'}
          </Button>
          <Button disabled={isPaused || acting.isPending} onClick={() => acting.mutate('run')}>
            Run now
          </Button>
        </div>
        <FieldError>{acting.error === null ? undefined : problemText(acting.error)}</FieldError>
        <h3>Runs</h3>
        {runs.length === 0 && <p className="soft">The first run starts within seconds.</p>}
        <ul>
          {runs.slice(0, 10).map((run) => (
            <li key={run.run} className="wrap">
              <Ago at={run.finished_at} /> ·{' '}
              {escapeInvisible(run.error ?? `${outcomeOf(run)}, value ${run.value ?? 'null'}`)}
            </li>
          ))}
        </ul>
        <h3>Deliveries</h3>
        {deliveries.length === 0 && <p className="soft">Nothing was sent yet.</p>}
        <ul>
          {deliveries.slice(0, 10).map((delivery) => (
            <li key={delivery.sequence} className="wrap">
              <Ago at={delivery.created_at} /> · {delivery.status}
              {delivery.error !== null && `: ${escapeInvisible(delivery.error)}`}
            </li>
          ))}
        </ul>
      </div>
    </Modal>
  )
}
