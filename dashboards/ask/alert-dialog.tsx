import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../kit/api.ts'
import { Dialog, Modal } from '../kit/dialog.tsx'
import { escapeInvisible } from '../kit/result-table.ts'
import { CopyButton } from '../kit/toast.tsx'
import type { Alert, CreatedAlert } from './answers.gen.ts'
import { api, queryClient, queryKeys, useHealth } from './api.ts'
import type { Parameter, Target } from './draft.ts'
import { ParameterFields, parametersOf } from './parameters.tsx'

export type Condition = Alert['condition']

export interface AlertDraft {
  readonly name: string
  readonly target: Target
  readonly question: string
  readonly sql: string
  readonly parameters: readonly Parameter[]
  readonly condition: Condition
  readonly interval_seconds: number
  readonly repeat_hours: number | null
  readonly url: string | null
  readonly email: string | null
}

export const conditionTexts: Readonly<Record<Condition['kind'], string>> = {
  rows: 'The SQL returns rows',
  no_rows: 'The SQL returns no rows',
  compare: 'The first value is',
  changed: 'The first value changes',
}

const operators = ['>', '>=', '<', '<=', '=', '<>'] as const
const intervals: readonly (readonly [number, string])[] = [
  [60, 'Every minute'],
  [300, 'Every 5 minutes'],
  [3600, 'Every hour'],
  [86_400, 'Every day'],
]
const repeats: readonly (readonly [number, string])[] = [
  [0, 'Once, until it is false again'],
  [1, 'Again every hour'],
  [24, 'Again every day'],
]

interface AlertDialogProps {
  readonly draft: Partial<AlertDraft> & Pick<AlertDraft, 'target' | 'sql' | 'question'>
  readonly onClose: () => void
}

/** The user reviews statement and condition; after saving, the secret or the next step is shown. */
export function AlertDialog({ draft, onClose }: AlertDialogProps): ReactNode {
  const [alert, setAlert] = useState<AlertDraft>({
    name: '',
    parameters: [],
    condition: { kind: 'rows' },
    interval_seconds: 300,
    repeat_hours: null,
    url: '',
    email: null,
    ...draft,
  })
  const id = useId()
  const sendsEmail = useHealth().data?.sends_email === true
  const change = (changed: Partial<AlertDraft>): void => setAlert({ ...alert, ...changed })
  const parameters = parametersOf(alert.sql, alert.parameters)
  const saving = useMutation({
    mutationFn: () => api.createAlert({ ...alert, parameters }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.alerts }),
  })
  if (saving.isSuccess) return <CreatedModal alert={saving.data} onClose={onClose} />
  const { condition } = alert
  const knownIntervals = intervals.some(([seconds]) => seconds === alert.interval_seconds)
    ? intervals
    : [...intervals, [alert.interval_seconds, `Every ${alert.interval_seconds / 60} minutes`] as const]
  return (
    <Dialog
      title="Create alert"
      action="Create alert"
      isBusy={saving.isPending}
      error={saving.error === null ? undefined : problemText(saving.error)}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <Field id={`${id}-name`} label="Name">
        <input
          id={`${id}-name`}
          className="input"
          required
          maxLength={100}
          autoFocus
          value={alert.name}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      <Field id={`${id}-sql`} label="SQL">
        <textarea
          id={`${id}-sql`}
          className="input alert-sql"
          required
          rows={4}
          spellCheck={false}
          value={alert.sql}
          onChange={(event) => change({ sql: event.target.value })}
        />
      </Field>
      <ParameterFields
        parameters={parameters}
        onChange={(changed) =>
          change({ parameters: parameters.map((each) => (each.name === changed.name ? changed : each)) })
        }
      />
      <Field id={`${id}-condition`} label="Tell me when">
        <select
          id={`${id}-condition`}
          className="input"
          value={condition.kind}
          onChange={(event) => change({ condition: conditionOf(event.target.value) })}
        >
          {Object.entries(conditionTexts).map(([kind, text]) => (
            <option key={kind} value={kind}>
              {text}
            </option>
          ))}
        </select>
      </Field>
      {condition.kind === 'compare' && (
        <div className="alert-pair">
          <select
            className="input"
            aria-label="Operator"
            value={condition.operator}
            onChange={(event) => {
              const operator = operators.find((each) => each === event.target.value)
              if (operator !== undefined) change({ condition: { ...condition, operator } })
            }}
          >
            {operators.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
          <input
            className="input"
            aria-label="Number"
            required
            inputMode="decimal"
            pattern="-?[0-9]+(\.[0-9]+)?"
            title="A number such as 12.5"
            value={condition.number}
            onChange={(event) => change({ condition: { ...condition, number: event.target.value.trim() } })}
          />
        </div>
      )}
      <div className="alert-pair">
        <Field id={`${id}-interval`} label="Check">
          <Choice
            id={`${id}-interval`}
            value={alert.interval_seconds}
            options={knownIntervals}
            onChange={(seconds) => change({ interval_seconds: seconds })}
          />
        </Field>
        <Field id={`${id}-repeat`} label="Report">
          <Choice
            id={`${id}-repeat`}
            value={alert.repeat_hours ?? 0}
            options={repeats}
            onChange={(hours) => change({ repeat_hours: hours === 0 ? null : hours })}
          />
        </Field>
      </div>
      {sendsEmail && (
        <Field id={`${id}-receiver`} label="Send to">
          <select
            id={`${id}-receiver`}
            className="input"
            value={alert.email === null ? 'url' : 'email'}
            onChange={(event) =>
              change(event.target.value === 'email' ? { url: null, email: '' } : { url: '', email: null })
            }
          >
            <option value="url">A webhook</option>
            <option value="email">An e-mail address</option>
          </select>
        </Field>
      )}
      {alert.email === null ? (
        <Field id={`${id}-url`} label="Webhook URL">
          <input
            id={`${id}-url`}
            className="input"
            type="url"
            required
            maxLength={2000}
            placeholder="https://example.com/hook"
            value={alert.url ?? ''}
            onChange={(event) => change({ url: event.target.value })}
          />
        </Field>
      ) : (
        <Field id={`${id}-email`} label="E-mail address">
          <input
            id={`${id}-email`}
            className="input"
            type="email"
            required
            maxLength={254}
            placeholder="name@example.com"
            value={alert.email}
            onChange={(event) => change({ email: event.target.value })}
          />
        </Field>
      )}
    </Dialog>
  )
}

function conditionOf(kind: string): Condition {
  if (kind === 'compare') return { kind, operator: '>', number: '' }
  return { kind: kind === 'no_rows' || kind === 'changed' ? kind : 'rows' }
}

interface FieldProps {
  readonly id: string
  readonly label: string
  readonly children: ReactNode
}

function Field({ id, label, children }: FieldProps): ReactNode {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
    </div>
  )
}

interface ChoiceProps {
  readonly id: string
  readonly value: number
  readonly options: readonly (readonly [number, string])[]
  readonly onChange: (value: number) => void
}

function Choice({ id, value, options, onChange }: ChoiceProps): ReactNode {
  return (
    <select id={id} className="input" value={value} onChange={(event) => onChange(Number(event.target.value))}>
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  )
}

function CreatedModal({ alert, onClose }: { readonly alert: CreatedAlert; readonly onClose: () => void }): ReactNode {
  if (alert.secret === null)
    return (
      <Modal title="Confirm the alert" onClose={onClose}>
        <div className="body">
          <p className="wrap">
            Open the link in the e-mail to {escapeInvisible(alert.email ?? '')} within 24 hours. The alert starts when
            it is confirmed.
          </p>
        </div>
      </Modal>
    )
  return (
    <Modal title="Alert created" onClose={onClose}>
      <div className="body">
        <p>Deliveries are signed with this secret. Copy it now: it is not shown again.</p>
        <p className="wrap">
          <code>{alert.secret}</code> <CopyButton text={alert.secret} what="the secret" />
        </p>
      </div>
    </Modal>
  )
}
