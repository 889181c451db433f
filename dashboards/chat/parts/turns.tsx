import { memo } from 'react'
import type { ReactNode } from 'react'
import { shownText } from '../../kit/cell-text.ts'
import { CopyButton } from '../../kit/copy-button.tsx'
import { ask, askAgain, useDoings } from '../conversation.ts'
import type { Conversation } from '../conversation.ts'
import type { ChatMessage, ChatMode, Notice } from '../contract.ts'
import { AnswerFoot } from './answer-foot.tsx'
import { Answer } from './answer.tsx'
import { ProblemNote } from './problem-note.tsx'

export interface TurnsProps {
  readonly conversation: Conversation
  readonly messages: readonly ChatMessage[]
  readonly isRunning: boolean
  readonly error: Error | undefined
  readonly mode: ChatMode
  /** When something was asked from here: it is looked at as it comes. */
  readonly onAsk: () => void
}

const none: readonly Notice[] = []

/** All that was said. */
export function Turns({ conversation, messages, isRunning, error, mode, onAsk }: TurnsProps): ReactNode {
  const { stopped, notices } = useDoings()
  const last = messages.at(-1)
  const again = (): void => {
    askAgain(conversation, mode)
    onAsk()
  }
  const goOn = (): void => {
    ask(conversation, 'Go on.', mode)
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
                {...(isLast && !isRunning && error === undefined ? { onAgain: again, onContinue: goOn } : {})}
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
            <span className="visually-hidden">The answer is coming</span>
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
              stopped.has(last.id) ? 'You stopped it before it began.' : 'Nothing came back before the page was left.',
            )
          }
          onAgain={again}
        />
      )}
      {!isRunning && error !== undefined && <ProblemNote key={error.message} error={error} onAgain={again} />}
    </>
  )
}

const Question = memo(function Question({ message: { parts } }: { readonly message: ChatMessage }): ReactNode {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return (
    <section className="turn question" aria-label="Question">
      <p>{shownText(text)}</p>
      <CopyButton text={text} what="the question" />
    </section>
  )
})
