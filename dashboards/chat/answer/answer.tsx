import { memo, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Icon } from '../../kit/controls.tsx'
import type { Notice } from '../answers.gen.ts'
import type { ChatMessage, MessagePart } from '../messages.ts'
import { SafeLink, Markdown } from './markdown.tsx'
import { ToolLine } from './tool-line.tsx'

interface AnswerProps {
  readonly message: ChatMessage
  readonly isLive: boolean
  readonly notices: readonly Notice[]
}

export const Answer = memo(function Answer({ message: { parts }, isLive, notices }: AnswerProps): ReactNode {
  const allNotices = distinct([
    ...parts.flatMap((part) => (part.type === 'data-notice' ? [part.data] : [])),
    ...notices,
  ])
  const sources = parts.filter((part) => part.type === 'source-url')
  const last = parts.length - 1
  return (
    <>
      {allNotices.map((notice, i) => (
        <p key={i} className="answer-notice">
          {notice.text}
        </p>
      ))}
      {parts.map((part, i) => (
        <Part key={i} part={part} isLive={isLive} isLast={i === last} />
      ))}
      {isLive && isWaiting(parts) && (
        <p className="waiting">
          <span className="visually-hidden">Generating the answer…</span>
          <i />
          <i />
          <i />
        </p>
      )}
      {sources.length > 0 && (
        <div className="sources">
          <h3>Sources</h3>
          <ol>
            {sources.map(({ sourceId, url, title }) => (
              <li key={sourceId}>
                <SafeLink href={url} text={title ?? url}>
                  {title ?? url}
                </SafeLink>
              </li>
            ))}
          </ol>
        </div>
      )}
    </>
  )
})

function Part({
  part,
  isLive,
  isLast,
}: {
  readonly part: MessagePart
  readonly isLive: boolean
  readonly isLast: boolean
}): ReactNode {
  if (part.type === 'text')
    return part.text.trim() === '' ? null : <Markdown text={part.text} isLive={isLive && isLast} />
  if (part.type === 'reasoning') return <Thinking text={part.text} isLive={isLive && isLast} />
  return 'toolCallId' in part ? <ToolLine part={part} isLive={isLive} /> : null
}

function isWaiting(parts: readonly MessagePart[]): boolean {
  const last = parts.findLast(
    ({ type }) => type !== 'step-start' && !type.startsWith('data-') && !type.startsWith('source-'),
  )
  if (last === undefined) return true
  if (last.type === 'text') return last.state === 'done' || last.text.trim() === ''
  if (last.type === 'reasoning') return last.state === 'done' && parts.at(-1) !== last
  return 'toolCallId' in last && ['output-available', 'output-error', 'output-denied'].includes(last.state)
}

function distinct(notices: readonly Notice[]): readonly Notice[] {
  return notices.filter(({ text }, i) => notices.findIndex((other) => other.text === text) === i)
}

function Thinking({ text, isLive }: { readonly text: string; readonly isLive: boolean }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  if (text.trim() === '' && !isLive) return null
  return (
    <div className={`call thinking${isLive ? ' running' : ''}`}>
      <button
        type="button"
        className="call-line"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isLive ? <span className="spinner" /> : <Icon name="lightbulb" />}
        <span className="call-text">{isLive ? 'Thinking…' : 'Reasoning'}</span>
        <span className="call-turn">
          <Icon name="chevron" size={14} />
        </span>
      </button>
      <div id={id} className="call-body" hidden={!isOpen}>
        {isOpen && <Markdown text={text} isLive={isLive} />}
      </div>
    </div>
  )
}
