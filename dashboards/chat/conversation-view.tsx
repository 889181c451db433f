import { Suspense, useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useChat } from '@ai-sdk/react'
import { TokenDialog } from '../kit/token-dialog.tsx'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { lazyPart } from '../kit/lazy-part.ts'
import { readToken, setToken } from '../kit/token.ts'
import { ask, askAgain, stop, useDoings } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import type { ChatSettings } from './contract.ts'
import { Composer } from './parts/composer.tsx'
import type { ComposerHandle } from './parts/composer.tsx'
import { Examples, Greeting } from './parts/greeting.tsx'
import { useFollow } from './parts/use-follow.ts'
import { useMode } from './parts/use-mode.ts'
import { ChatProblem } from './problem.ts'
import { tryToken } from './settings.ts'
import { keepThread } from './threads/threads.ts'

/** Markdown and charts are half of the page: they come after the rest of it, before anything is asked. */
const loadTurns = async () => (await import('./parts/turns.tsx')).Turns
const Turns = lazyPart(loadTurns, { name: 'Turns' })

/** An answer is shown at most so often while it is written, ms: a browser draws no faster than one reads. */
const drawEveryMs = 40

export interface ConversationViewProps {
  readonly conversation: Conversation
  readonly settings: ChatSettings | undefined
  readonly settingsError: Error | null
  /** After the first question of a conversation. */
  readonly onBegin: () => void
}

/** What was said, and where one goes on. */
export function ConversationView({ conversation, settings, settingsError, onBegin }: ConversationViewProps): ReactNode {
  const { id, chat } = conversation
  const { messages, status, error } = useChat({ chat, throttle: drawEveryMs })
  const isRunning = useDoings().running.has(id)
  const [mode, setMode] = useMode(settings)
  const [text, setText] = useState('')
  const [isRefused, setIsRefused] = useState(false)
  const composer = useRef<ComposerHandle>(null)
  const { scroller, content, isAway, toEnd } = useFollow()
  const isEmpty = messages.length === 0
  const isLocked = error instanceof ChatProblem && error.status === 401 && !isRefused
  // A failure is reported, and retried, when the part is shown.
  useEffect(() => void loadTurns().catch(() => undefined), [])
  // What was asked is kept at once, and what was answered when it has ended.
  useEffect(() => {
    if (status !== 'streaming') void keepThread(id, chat.messages)
  }, [id, chat, status])
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented && document.querySelector('dialog[open]') === null)
        stop(conversation)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [conversation])
  const send = (question: string): void => {
    setIsRefused(false)
    setText('')
    ask(conversation, question, mode)
    toEnd()
    composer.current?.focus()
    if (isEmpty) onBegin()
  }
  return (
    <div className={isEmpty ? 'conversation empty' : 'conversation'}>
      <div ref={scroller} className="scroller" tabIndex={isEmpty ? -1 : 0} role="region" aria-label="Conversation">
        <div ref={content} className="turns">
          {isEmpty ? (
            <Greeting settings={settings} error={settingsError} />
          ) : (
            <Suspense
              fallback={
                <p className="waiting">
                  <span className="visually-hidden">Loading</span>
                  <i />
                  <i />
                  <i />
                </p>
              }
            >
              <Turns {...{ conversation, messages, isRunning, error, mode }} onAsk={toEnd} />
            </Suspense>
          )}
        </div>
      </div>
      <div className="writing">
        {isAway && (
          <Button isIcon aria-label="To the end of the conversation" onClick={toEnd}>
            <Icon name="down" />
          </Button>
        )}
        <Composer
          ref={composer}
          text={text}
          settings={settings}
          mode={mode}
          isRunning={isRunning}
          onChange={setText}
          onMode={setMode}
          onSend={send}
          onStop={() => stop(conversation)}
        />
        {!isEmpty && (
          <p className="caution soft">
            Answers may be wrong: look at the SQL.{isRunning && <span className="wide-only"> Esc stops.</span>}
          </p>
        )}
      </div>
      {isEmpty && (
        <Examples
          examples={settings?.examples ?? []}
          isDisabled={settings === undefined || settings.modes.length === 0}
          onAsk={send}
        />
      )}
      {/* Told once when it begins and once when it ends: not every word of it. */}
      <p className="visually-hidden" role="status">
        {isRunning
          ? 'The answer is being written.'
          : messages.at(-1)?.role === 'assistant' && status === 'ready'
            ? 'The answer is there.'
            : ''}
      </p>
      {isLocked && (
        <TokenDialog
          tryToken={tryToken}
          onClose={() => setIsRefused(true)}
          onToken={() => askAgain(conversation, mode)}
          refusal={(refused) => {
            if (refused instanceof ChatProblem && refused.status === 401) {
              // One that was kept is no good any more.
              if (readToken() !== undefined) setToken(undefined)
              return 'This token is not accepted.'
            }
            return refused instanceof Error ? refused.message : String(refused)
          }}
        />
      )}
    </div>
  )
}
