import { useMutation } from '@tanstack/react-query'
import { createContext, useContext, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../../kit/api.ts'
import { Button, FieldError, Form } from '../../kit/controls.tsx'
import { formatDuration } from '../../kit/formats.ts'
import { escapeInvisible } from '../../kit/result-table.ts'
import { CopyButton } from '../../kit/toast.tsx'
import { confirmTool, useSettings } from '../settings.ts'
import { setCallConfirmed, useThreads } from '../threads.ts'
import { CodeBlock } from './markdown.tsx'
import { asRecord, asText, unwrap } from './tool-outcome.ts'
import type { ToolCall } from './tool-outcome.ts'

/** Undefined in shared chats, where nothing can be confirmed. */
export const ConversationContext = createContext<string | undefined>(undefined)

const maxUrl = 2000
const maxEmail = 254

/** A tool that runs only if the user confirms it. The model wrote all of its texts. */
export function Proposal({ call }: { readonly call: ToolCall }): ReactNode {
  const conversationId = useContext(ConversationContext)
  const output = call.outcome.is === 'done' ? asRecord(call.outcome.output) : {}
  const { status, action, ...input } = output
  if (conversationId === undefined || status !== 'unconfirmed') return null
  if (action !== 'create_alert' && action !== 'delete_alert') return null
  return <Confirmation {...{ call, conversationId, action, input }} />
}

interface ConfirmationProps {
  readonly call: ToolCall
  readonly conversationId: string
  readonly action: 'create_alert' | 'delete_alert'
  readonly input: Readonly<Record<string, unknown>>
}

function Confirmation({ call, conversationId, action, input }: ConfirmationProps): ReactNode {
  const [url, setUrl] = useState(asText(input['url']) ?? '')
  const sendsEmail = useSettings().data?.sends_email === true
  const [email, setEmail] = useState(asText(input['email']))
  const isMail = sendsEmail && email !== undefined
  const thread = useThreads().list.find(({ id }) => id === conversationId)
  const id = useId()
  const receiver = isMail ? { url: null, email: email.trim() } : { url: url.trim(), email: null }
  const isNew = action === 'create_alert'
  const running = useMutation({
    mutationFn: async () => {
      const { id: alertId } = input
      const { output, error } = await confirmTool(action, isNew ? { ...input, ...receiver } : { id: alertId })
      if (error !== null) throw new Error(error)
      await setCallConfirmed(conversationId, call.id)
      return asText(asRecord(unwrap(output))['secret'])
    },
  })
  const isDone = running.isSuccess || thread?.confirmed?.includes(call.id) === true
  const name = escapeInvisible(asText(input['name']) ?? '')
  const sql = asText(input['sql'])
  const seconds = input['interval_seconds']
  return (
    <Form className="proposal" aria-label={isNew ? 'New alert' : 'Delete alert'} onSubmit={() => running.mutate()}>
      <p>
        <b className="wrap">{name}</b>
      </p>
      {isNew && (
        <p className="soft wrap">
          {conditionText(asRecord(input['condition']))}
          {typeof seconds === 'number' && `, checked every ${formatDuration(seconds)}`}
        </p>
      )}
      {sql !== undefined && <CodeBlock code={sql} language="sql" />}
      {isDone ? (
        <p role="status">{outcomeText(isNew, running.isSuccess && isMail)}</p>
      ) : (
        <>
          {isNew && sendsEmail && (
            <div className="field">
              <label htmlFor={`${id}-receiver`}>Send to</label>
              <select
                id={`${id}-receiver`}
                className="input"
                value={isMail ? 'email' : 'url'}
                onChange={(event) => setEmail(event.target.value === 'email' ? '' : undefined)}
              >
                <option value="url">A webhook</option>
                <option value="email">An e-mail address</option>
              </select>
            </div>
          )}
          {isNew && isMail && (
            <div className="field">
              <label htmlFor={id}>E-mail address</label>
              <input
                id={id}
                className="input"
                type="email"
                required
                maxLength={maxEmail}
                placeholder="name@example.com"
                value={email}
                onChange={(event) => setEmail(event.target.value)}
              />
            </div>
          )}
          {isNew && !isMail && (
            <div className="field">
              <label htmlFor={id}>Webhook URL</label>
              <input
                id={id}
                className="input"
                type="url"
                required
                maxLength={maxUrl}
                placeholder="https://example.com/hook"
                value={url}
                onChange={(event) => setUrl(event.target.value)}
              />
            </div>
          )}
          <FieldError>{running.error === null ? undefined : escapeInvisible(problemText(running.error))}</FieldError>
          <div className="button-row">
            <Button type="submit" look={isNew ? 'strong' : 'danger'} disabled={running.isPending}>
              {isNew ? 'Create alert' : 'Delete alert'}
            </Button>
          </div>
        </>
      )}
      {running.data !== undefined && (
        <p className="wrap">
          Deliveries are signed with this secret. Copy it now: it is not shown again. <code>{running.data}</code>{' '}
          <CopyButton text={running.data} what="the secret" />
        </p>
      )}
    </Form>
  )
}

function outcomeText(isNew: boolean, isMail: boolean): string {
  if (!isNew) return 'Alert deleted.'
  return isMail
    ? 'Open the link in the e-mail within 24 hours: the alert starts when it is confirmed. Ask lists it.'
    : 'Alert created. Ask lists it.'
}

function conditionText({ kind, operator, number }: Readonly<Record<string, unknown>>): string {
  if (kind === 'rows') return 'When the SQL returns rows'
  if (kind === 'no_rows') return 'When the SQL returns no rows'
  if (kind === 'changed') return 'When the first value changes'
  return escapeInvisible(`When the first value is ${String(operator)} ${String(number)}`)
}
