import { useChat } from '@ai-sdk/react'
import { Suspense, useEffect, useRef, useState, useCallback, useLayoutEffect } from 'react'
import type { ReactNode, RefObject } from 'react'
import { Button, Icon } from '../kit/controls.tsx'
import { browserStorage } from '../kit/browser.ts'
import { lazyPart } from '../kit/lazy-part.ts'
import { TokenDialog } from '../kit/token-dialog.tsx'
import { readToken, setToken } from '../kit/token.ts'
import type { ChatSettings, ChatMode } from './answers.gen.ts'
import { ask, regenerate, save, stop, useActivity } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import { Composer } from './composer.tsx'
import type { ComposerHandle } from './composer.tsx'
import { ApiProblem } from '../kit/api.ts'
import { tryToken } from './settings.ts'
import { contextCharacters } from './messages.ts'

const loadTurns = async () => (await import('./answer/turns.tsx')).Turns
const Turns = lazyPart(loadTurns, { name: 'Turns' })

const drawEveryMs = 40

interface ConversationViewProps {
  readonly conversation: Conversation
  readonly settings: ChatSettings | undefined
  readonly settingsError: Error | null
  readonly onBegin: () => void
}

export function ConversationView({ conversation, settings, settingsError, onBegin }: ConversationViewProps): ReactNode {
  const { id, chat } = conversation
  const { messages, status, error } = useChat({ chat, throttle: drawEveryMs })
  const isRunning = useActivity().running.has(id)
  const [mode, setMode] = useMode(settings)
  const [text, setText] = useState('')
  const [isRefused, setIsRefused] = useState(false)
  const composer = useRef<ComposerHandle>(null)
  const { scroller, content, isAway, toEnd } = useFollow()
  const isEmpty = messages.length === 0
  const isLocked = error instanceof ApiProblem && error.status === 401 && !isRefused
  useEffect(() => void loadTurns().catch(() => undefined), [])
  useEffect(() => {
    if (status !== 'streaming') save(conversation)
  }, [conversation, status])
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
                  <span className="visually-hidden">Loading conversation…</span>
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
          <Button isIcon aria-label="Scroll to the end" onClick={toEnd}>
            <Icon name="down" />
          </Button>
        )}
        <Composer
          ref={composer}
          text={text}
          settings={settings}
          mode={mode}
          isRunning={isRunning}
          contextCharacters={contextCharacters(messages)}
          onChange={setText}
          onMode={setMode}
          onSend={send}
          onStop={() => stop(conversation)}
        />
        {!isEmpty && (
          <p className="caution soft">
            Answers may be wrong. Check the SQL.{isRunning && <span className="wide-only"> Press Esc to stop.</span>}
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
      {/* Announced at the start and the end of an answer, not for each word. */}
      <p className="visually-hidden" role="status">
        {isRunning
          ? 'Generating the answer…'
          : messages.at(-1)?.role === 'assistant' && status === 'ready'
            ? 'The answer is complete.'
            : ''}
      </p>
      {isLocked && (
        <TokenDialog
          verifyToken={tryToken}
          onClose={() => setIsRefused(true)}
          onToken={() => regenerate(conversation, mode)}
          describeError={(refused) => {
            if (refused instanceof ApiProblem && refused.status === 401) {
              // A saved token is no longer valid.
              if (readToken() !== undefined) setToken(undefined)
              return 'The token was not accepted.'
            }
            return refused instanceof Error ? refused.message : String(refused)
          }}
        />
      )}
    </div>
  )
}

const key = 'flowfarm-chat-mode'

function useMode(settings: ChatSettings | undefined): readonly [ChatMode, (mode: ChatMode) => void] {
  const [chosen, setChosen] = useState(() => browserStorage('localStorage')?.getItem(key) ?? undefined)
  const mode = settings?.modes.find((each) => each.mode === chosen)?.mode ?? settings?.default_mode ?? 'balanced'
  const choose = (next: ChatMode): void => {
    setChosen(next)
    browserStorage('localStorage')?.setItem(key, next)
  }
  return [mode, choose]
}

interface Follow {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  readonly isAway: boolean
  readonly toEnd: () => void
}

const nearPx = 60

function useFollow(): Follow {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(true)
  const [isAway, setIsAway] = useState(false)
  const toEnd = useCallback((): void => {
    isFollowing.current = true
    setIsAway(false)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [])
  useLayoutEffect(() => {
    const [place, inner] = [scroller.current, content.current]
    if (place === null || inner === null) return
    let top = place.scrollTop
    const scrolled = (): void => {
      const isAtEnd = place.scrollHeight - place.scrollTop - place.clientHeight < nearPx
      // Growing content does not scroll up; only the user does.
      if (isAtEnd) isFollowing.current = true
      else if (place.scrollTop < top) isFollowing.current = false
      top = place.scrollTop
      setIsAway(!isAtEnd && !isFollowing.current)
    }
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) place.scrollTo({ top: place.scrollHeight, behavior: 'instant' })
      else setIsAway(place.scrollHeight - place.scrollTop - place.clientHeight >= nearPx)
    })
    // Content that grows because the user opened it stays in view.
    const clicked = ({ target }: MouseEvent): void => {
      if (target instanceof Element && target.closest('button') !== null) isFollowing.current = false
    }
    place.addEventListener('scroll', scrolled, { passive: true })
    inner.addEventListener('click', clicked, { capture: true })
    observer.observe(inner)
    observer.observe(place)
    return () => {
      place.removeEventListener('scroll', scrolled)
      inner.removeEventListener('click', clicked, { capture: true })
      observer.disconnect()
    }
  }, [])
  return { scroller, content, isAway, toEnd }
}

function Greeting({
  settings,
  error,
}: {
  readonly settings: ChatSettings | undefined
  readonly error: Error | null
}): ReactNode {
  return (
    <div className="greeting">
      <svg className="greeting-sign" width="44" height="44" viewBox="0 0 18 18" aria-hidden="true">
        <rect x="1" y="2" width="16" height="3.4" rx="1.7" fill="var(--leaf-fill)" />
        <rect x="1" y="7.3" width="16" height="3.4" rx="1.7" fill="var(--leaf-fill)" opacity=".65" />
        <rect x="1" y="12.6" width="9" height="3.4" rx="1.7" fill="var(--leaf-fill)" opacity=".35" />
      </svg>
      <h1>What do you want to know about Flow?</h1>
      <p className="soft">Answers use indexed chain data and show the SQL behind them.</p>
      {error !== null && (
        <p className="banner bad" role="alert">
          {error instanceof ApiProblem ? error.message : 'The chat is not reachable.'} Retrying automatically.
        </p>
      )}
      {settings?.remedy !== null && settings !== undefined && (
        <div className="banner" role="note">
          <p>
            <b>No model is configured, so the chat cannot answer questions.</b> {settings.remedy}
          </p>
        </div>
      )}
      {settings?.is_scripted === true && (
        <div className="banner" role="note">
          <p>
            <b>Demo mode, no model:</b> only the questions below have answers. Their SQL runs on this database. To ask
            anything, set LLM_API_KEY.
          </p>
        </div>
      )}
    </div>
  )
}

function Examples({
  examples,
  isDisabled,
  onAsk,
}: {
  readonly examples: readonly string[]
  readonly isDisabled: boolean
  readonly onAsk: (question: string) => void
}): ReactNode {
  if (examples.length === 0) return null
  return (
    <section className="examples" aria-label="Example questions">
      <ul>
        {examples.map((question) => (
          <li key={question}>
            <button type="button" className="example" disabled={isDisabled} onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
