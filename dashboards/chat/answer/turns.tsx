import { memo, useCallback, useEffect, useId, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Form, Icon } from '../../kit/controls.tsx'
import { escapeInvisible } from '../../kit/result-table.ts'
import { CopyButton } from '../../kit/toast.tsx'
import { formatNumber } from '../../kit/formats.ts'
import type { ChatMode, Notice, AnswerMetadata } from '../answers.gen.ts'
import type { ChatMessage } from '../messages.ts'
import { versionsAt } from '../messages.ts'
import { useSettings } from '../settings.ts'
import { edit, regenerate, resume, selectVersion, useActivity, versionsOf } from '../conversation.ts'
import type { Conversation } from '../conversation.ts'
import { describeProblem } from '../problem.ts'
import { asText, readToolCall, secondsText } from './tool-outcome.ts'
import { answerText } from '../thread-text.ts'
import { Answer } from './answer.tsx'
import { Feedback } from './feedback.tsx'
import { SqlActionsContext } from './markdown.tsx'
import { ConversationContext } from './proposal.tsx'
import { SqlActions } from './tool-line.tsx'

interface TurnsProps {
  readonly conversation: Conversation
  readonly messages: readonly ChatMessage[]
  readonly isRunning: boolean
  readonly error: Error | undefined
  readonly mode: ChatMode
  readonly onAsk: () => void
}

const none: readonly Notice[] = []

export function Turns({ conversation, messages, isRunning, error, mode, onAsk }: TurnsProps): ReactNode {
  const { stopped, notices } = useActivity()
  const last = messages.at(-1)
  const versions = versionsOf(conversation)
  const canResume = last?.role === 'assistant' && isResumable(last.metadata)
  const again = (): void => {
    regenerate(conversation, mode)
    onAsk()
  }
  const continueAnswer = (): void => {
    resume(conversation, mode)
    onAsk()
  }
  const retry = canResume ? continueAnswer : again
  const editQuestion = useCallback(
    (index: number, text: string): void => {
      edit(conversation, index, text, mode)
      onAsk()
    },
    [conversation, mode, onAsk],
  )
  const select = useCallback(
    (index: number, position: number): void => selectVersion(conversation, index, position),
    [conversation],
  )
  return (
    <>
      {messages.map((message, i) => {
        if (message.role === 'user')
          return (
            <Question
              key={message.id}
              message={message}
              index={i}
              {...versionsAt(versions, i)}
              conversationId={conversation.id}
              onEdit={editQuestion}
              onSelect={select}
            />
          )
        const isLast = message === last
        const isLive = isRunning && isLast
        return (
          <section key={message.id} className="turn answer" aria-label="Answer" aria-busy={isLive}>
            <AnswerWithSql
              conversationId={conversation.id}
              message={message}
              isLive={isLive}
              notices={isLast ? (notices[conversation.id] ?? none) : none}
            />
            {!isLive && (
              <AnswerFoot
                conversation={conversation}
                message={message}
                isStopped={stopped.has(message.id)}
                hasProblem={isLast && error !== undefined}
                {...(isLast && !isRunning && error === undefined ? { onAgain: again, onContinue: continueAnswer } : {})}
              />
            )}
          </section>
        )
      })}
      {isRunning && last?.role === 'user' && (
        <section className="turn answer" aria-label="Answer" aria-busy="true">
          {(notices[conversation.id] ?? none).map(({ text }, i) => (
            <p key={i} className="answer-notice">
              {text}
            </p>
          ))}
          <p className="waiting">
            <span className="visually-hidden">Generating the answer…</span>
            <i />
            <i />
            <i />
          </p>
        </section>
      )}
      {!isRunning && error === undefined && last?.role === 'user' && (
        <ProblemNote
          key="unanswered"
          error={
            new Error(
              stopped.has(last.id)
                ? 'You stopped the answer before it started.'
                : 'The page was closed before the answer started.',
            )
          }
          onAgain={retry}
        />
      )}
      {!isRunning && error !== undefined && <ProblemNote key={error.message} error={error} onAgain={retry} />}
    </>
  )
}

interface AnswerWithSqlProps {
  readonly conversationId: string
  readonly message: ChatMessage
  readonly isLive: boolean
  readonly notices: readonly Notice[]
}

function AnswerWithSql({ conversationId, message, isLive, notices }: AnswerWithSqlProps): ReactNode {
  const { parts } = message
  const actions = useMemo(() => {
    if (isLive) return undefined
    const evm = parts.flatMap((part) => {
      const call = readToolCall(part, false)
      return call?.name === 'run_evm_sql' ? [asText(call.input['sql'])?.trim()] : []
    })
    return (sql: string): ReactNode => <SqlActions sql={sql} target={evm.includes(sql.trim()) ? 'evm' : 'indexer'} />
  }, [parts, isLive])
  return (
    <SqlActionsContext value={actions}>
      <ConversationContext value={conversationId}>
        <Answer message={message} isLive={isLive} notices={notices} />
      </ConversationContext>
    </SqlActionsContext>
  )
}

function questionText({ parts }: ChatMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

interface QuestionProps {
  readonly message: ChatMessage
  readonly index: number
  readonly position: number
  readonly count: number
  readonly conversationId: string
  readonly onEdit: (index: number, text: string) => void
  readonly onSelect: (index: number, position: number) => void
}

const Question = memo(function Question({
  message,
  index,
  position,
  count,
  conversationId,
  onEdit,
  onSelect,
}: QuestionProps): ReactNode {
  const [isEditing, setIsEditing] = useState(false)
  const text = questionText(message)
  if (isEditing)
    return (
      <EditQuestion
        conversationId={conversationId}
        text={text}
        onSend={(edited) => {
          setIsEditing(false)
          onEdit(index, edited)
        }}
        onCancel={() => setIsEditing(false)}
      />
    )
  return (
    <section className="turn question" aria-label="Question">
      <p>{escapeInvisible(text)}</p>
      <div className="question-tools">
        {count > 1 && (
          <VersionChoice
            conversationId={conversationId}
            position={position}
            count={count}
            onSelect={(chosen) => onSelect(index, chosen)}
          />
        )}
        <CopyButton text={text} what="the question" />
        <button
          type="button"
          className="copy"
          aria-label="Edit the question"
          title="Edit the question"
          onClick={() => setIsEditing(true)}
        >
          <Icon name="pencil" size={14} />
        </button>
      </div>
    </section>
  )
})

interface VersionChoiceProps {
  readonly conversationId: string
  readonly position: number
  readonly count: number
  readonly onSelect: (position: number) => void
}

function VersionChoice({ conversationId, position, count, onSelect }: VersionChoiceProps): ReactNode {
  const isRunning = useActivity().running.has(conversationId)
  return (
    <span className="versions" role="group" aria-label="Versions of this question">
      <button
        type="button"
        className="copy"
        aria-label="Previous version"
        disabled={isRunning || position === 0}
        onClick={() => onSelect(position - 1)}
      >
        ‹
      </button>
      <span>
        {position + 1}/{count}
      </span>
      <button
        type="button"
        className="copy"
        aria-label="Next version"
        disabled={isRunning || position === count - 1}
        onClick={() => onSelect(position + 1)}
      >
        ›
      </button>
    </span>
  )
}

interface EditQuestionProps {
  readonly conversationId: string
  readonly text: string
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
}

function EditQuestion({ conversationId, text, onSend, onCancel }: EditQuestionProps): ReactNode {
  const [edited, setEdited] = useState(text)
  const max = useSettings().data?.max_message_characters
  const id = useId()
  const isRunning = useActivity().running.has(conversationId)
  const isIdle = isRunning || edited.trim() === ''
  const send = (): void => {
    if (!isIdle) onSend(edited.trim())
  }
  return (
    <section className="turn question editing" aria-label="Question">
      <Form onSubmit={send}>
        <label htmlFor={id} className="visually-hidden">
          Edited question
        </label>
        <textarea
          id={id}
          className="input"
          value={edited}
          maxLength={max}
          autoFocus
          onFocus={(event) => event.target.setSelectionRange(text.length, text.length)}
          onChange={(event) => setEdited(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.preventDefault()
              onCancel()
            }
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            send()
          }}
        />
        <div className="button-row">
          <span className="soft">You can return to the current version.</span>
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" look="strong" disabled={isIdle}>
            Send
          </Button>
        </div>
      </Form>
    </section>
  )
}

function ProblemNote({ error, onAgain }: { readonly error: Error; readonly onAgain: () => void }): ReactNode {
  const { title, detail, isRetryable, retryAfterS } = describeProblem(error)
  const left = useCountdown(retryAfterS ?? 0)
  return (
    <div className="problem" role="alert">
      <Icon name="alert" size={18} />
      <div>
        <p className="title">{title}</p>
        <p>{detail}</p>
      </div>
      {isRetryable && (
        <Button disabled={left > 0} onClick={onAgain}>
          {left > 0 ? `Retry in ${left} s` : 'Retry'}
        </Button>
      )}
    </div>
  )
}

function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(Math.ceil(seconds))
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  return left
}

interface AnswerFootProps {
  readonly conversation: Conversation
  readonly message: ChatMessage
  readonly isStopped: boolean
  readonly hasProblem: boolean
  readonly onAgain?: (() => void) | undefined
  readonly onContinue?: (() => void) | undefined
}

function AnswerFoot({ conversation, message, isStopped, hasProblem, onAgain, onContinue }: AnswerFootProps): ReactNode {
  const { metadata } = message
  const text = answerText(message)
  const end = endText(metadata, isStopped)
  return (
    <footer className="answer-foot">
      {end !== undefined && !hasProblem && <p className="answer-end">{end}</p>}
      <div className="answer-tools">
        {text !== '' && <CopyButton text={text} what="the answer" />}
        {metadata?.end !== undefined && <Feedback conversation={conversation} message={message} />}
        {onAgain !== undefined && (
          <button
            type="button"
            className="copy"
            aria-label="Regenerate answer"
            title="Regenerate answer"
            onClick={onAgain}
          >
            <Icon name="retry" size={14} />
          </button>
        )}
        {onContinue !== undefined && isResumable(metadata) && (
          <Button isSmall onClick={onContinue}>
            Continue
          </Button>
        )}
        {metadata !== undefined && <span className="usage">{usageText(metadata)}</span>}
      </div>
    </footer>
  )
}

function isResumable(metadata: AnswerMetadata | undefined): boolean {
  return metadata?.end === 'steps' || metadata?.end === 'length'
}

function endText(metadata: AnswerMetadata | undefined, isStopped: boolean): string | undefined {
  if (metadata?.end === 'steps')
    return 'The model reached its limit of tool calls and answered with the data it had. Continue gives it more.'
  if (metadata?.end === 'length') return 'The answer reached its maximum length.'
  if (metadata?.end === 'refused') return 'The model declined to answer this.'
  if (metadata !== undefined) return undefined
  return isStopped ? 'You stopped this answer.' : 'This answer is incomplete.'
}

/** For example `claude-haiku-4-5 · 3,412 tokens · 4.2 s`. */
function usageText({ model, isScripted, usage, durationMs, mode }: AnswerMetadata): string {
  const tokens =
    usage?.totalTokens ?? (usage === undefined ? null : (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0))
  return [
    isScripted === true ? 'scripted answer' : model?.split('/').at(-1),
    isScripted === true ? undefined : mode,
    tokens === null || tokens === 0 ? undefined : `${formatNumber(tokens)} tokens`,
    durationMs === undefined ? undefined : secondsText(durationMs),
  ]
    .filter((word) => word !== undefined)
    .join(' · ')
}
