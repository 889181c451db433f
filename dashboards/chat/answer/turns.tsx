import { memo, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Icon } from '../../kit/controls.tsx'
import { escapeInvisible } from '../../kit/result-table.ts'
import { CopyButton } from '../../kit/toast.tsx'
import { formatNumber } from '../../kit/formats.ts'
import type { ChatMode, Notice, AnswerMetadata } from '../answers.gen.ts'
import type { ChatMessage } from '../messages.ts'
import { ask, regenerate, useActivity } from '../conversation.ts'
import type { Conversation } from '../conversation.ts'
import { describeProblem } from '../problem.ts'
import { secondsText } from './tool-outcome.ts'
import { answerText } from '../thread-text.ts'
import { Answer } from './answer.tsx'

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
  const retry = (): void => {
    regenerate(conversation, mode)
    onAsk()
  }
  const continueAnswer = (): void => {
    ask(conversation, 'Continue.', mode)
    onAsk()
  }
  return (
    <>
      {messages.map((message) => {
        if (message.role === 'user') return <Question key={message.id} message={message} />
        const isLast = message === last
        const isLive = isRunning && isLast
        return (
          <section key={message.id} className="turn answer" aria-label="Answer" aria-busy={isLive}>
            <Answer message={message} isLive={isLive} notices={isLast ? (notices[conversation.id] ?? none) : none} />
            {!isLive && (
              <AnswerFoot
                message={message}
                isStopped={stopped.has(message.id)}
                hasProblem={isLast && error !== undefined}
                {...(isLast && !isRunning && error === undefined ? { onAgain: retry, onContinue: continueAnswer } : {})}
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

const Question = memo(function Question({ message: { parts } }: { readonly message: ChatMessage }): ReactNode {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return (
    <section className="turn question" aria-label="Question">
      <p>{escapeInvisible(text)}</p>
      <CopyButton text={text} what="the question" />
    </section>
  )
})

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
  readonly message: ChatMessage
  readonly isStopped: boolean
  readonly hasProblem: boolean
  readonly onAgain?: (() => void) | undefined
  readonly onContinue?: (() => void) | undefined
}

function AnswerFoot({ message, isStopped, hasProblem, onAgain, onContinue }: AnswerFootProps): ReactNode {
  const { metadata } = message
  const text = answerText(message)
  const end = endText(metadata, isStopped)
  return (
    <footer className="answer-foot">
      {end !== undefined && !hasProblem && <p className="answer-end">{end}</p>}
      <div className="answer-tools">
        {text !== '' && <CopyButton text={text} what="the answer" />}
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
        {onContinue !== undefined && metadata?.end === 'length' && (
          <Button isSmall onClick={onContinue}>
            Continue
          </Button>
        )}
        {metadata !== undefined && <span className="usage">{usageText(metadata)}</span>}
      </div>
    </footer>
  )
}

function endText(metadata: AnswerMetadata | undefined, isStopped: boolean): string | undefined {
  if (metadata?.end === 'steps') return 'The model reached its limit of tool calls and answered with the data it had.'
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
