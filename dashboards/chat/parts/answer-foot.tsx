import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { CopyButton } from '../../kit/copy-button.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Icon } from '../../kit/icon.tsx'
import type { AnswerMetadata, ChatMessage } from '../contract.ts'
import { secondsText } from '../seconds-text.ts'
import { answerText } from '../threads/thread-text.ts'

export interface AnswerFootProps {
  readonly message: ChatMessage
  /** Whether the person stopped it. */
  readonly isStopped: boolean
  /** Whether a problem below it says why it ended. */
  readonly hasProblem: boolean
  /** Of the last answer: has the question answered anew, or the model go on. */
  readonly onAgain?: (() => void) | undefined
  readonly onContinue?: (() => void) | undefined
}

/** What came with an answer, how it ended, and what can be done with it. */
export function AnswerFoot({ message, isStopped, hasProblem, onAgain, onContinue }: AnswerFootProps): ReactNode {
  const { metadata } = message
  const text = answerText(message)
  const end = endText(metadata, isStopped)
  return (
    <footer className="answer-foot">
      {end !== undefined && !hasProblem && <p className="answer-end">{end}</p>}
      <div className="answer-tools">
        {text !== '' && <CopyButton text={text} what="the answer" />}
        {onAgain !== undefined && (
          <button type="button" className="copy" aria-label="Answer again" title="Answer again" onClick={onAgain}>
            <Icon name="again" size={14} />
          </button>
        )}
        {onContinue !== undefined && metadata?.end === 'length' && (
          <Button isSmall onClick={onContinue}>
            Go on
          </Button>
        )}
        {metadata !== undefined && <span className="usage">{usageText(metadata)}</span>}
      </div>
    </footer>
  )
}

function endText(metadata: AnswerMetadata | undefined, isStopped: boolean): string | undefined {
  if (metadata?.end === 'steps') return 'The model had used all its turns with tools, and closed with what it had.'
  if (metadata?.end === 'length') return 'The answer was cut off at its greatest length.'
  if (metadata?.end === 'refused') return 'The model declined to answer this.'
  if (metadata !== undefined) return undefined
  return isStopped ? 'You stopped this answer.' : 'This answer is not complete.'
}

/** `claude-haiku-4-5 · 3,412 tokens · 4.2 s`. */
function usageText({ model, isScripted, usage, durationMs, mode }: AnswerMetadata): string {
  const tokens =
    usage?.totalTokens ?? (usage === undefined ? null : (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0))
  return [
    isScripted === true ? 'a script, not a model' : model?.split('/').at(-1),
    isScripted === true ? undefined : mode,
    tokens === null || tokens === 0 ? undefined : `${formatNumber(tokens)} tokens`,
    durationMs === undefined ? undefined : secondsText(durationMs),
  ]
    .filter((word) => word !== undefined)
    .join(' · ')
}
