import { useEffect, useEffectEvent, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode, Ref } from 'react'
import { formatNumber } from '../kit/formats.ts'
import { Form, Icon } from '../kit/controls.tsx'
import type { ChatMode, ChatSettings } from './answers.gen.ts'

export interface ComposerHandle {
  readonly focus: () => void
}

interface ComposerProps {
  readonly ref?: Ref<ComposerHandle>
  readonly text: string
  readonly settings: ChatSettings | undefined
  readonly mode: ChatMode
  readonly isRunning: boolean
  readonly contextCharacters: number
  readonly onChange: (text: string) => void
  readonly onMode: (mode: ChatMode) => void
  readonly onSend: (text: string) => void
  readonly onStop: () => void
}

const counterThreshold = 0.9

export function Composer({
  ref,
  text,
  settings,
  mode,
  isRunning,
  contextCharacters,
  onChange,
  onMode,
  onSend,
  onStop,
}: ComposerProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const max = settings?.max_message_characters ?? Infinity
  const isTooLong = text.length > max
  const isIdle = text.trim() === '' || isTooLong || isRunning || settings === undefined || settings.modes.length === 0
  useImperativeHandle(ref, () => ({ focus: () => field.current?.focus() }), [])
  useEffect(() => {
    // On a phone the keyboard would cover the page.
    if (matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [])
  useLayoutEffect(() => {
    const element = field.current
    if (element === null || element.value !== text) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [text])
  // A question that is sent while the settings load is sent once they are there.
  const isWaiting = useRef(false)
  const send = (): void => {
    isWaiting.current = settings === undefined
    if (!isIdle) onSend(text.trim())
  }
  const sendWaiting = useEffectEvent(() => {
    if (isWaiting.current) send()
  })
  const isLoaded = settings !== undefined
  useEffect(() => {
    if (isLoaded) sendWaiting()
  }, [isLoaded])
  const press = (event: KeyboardEvent): void => {
    // Enter also commits an IME composition.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <Form id="composer" className="composer" onSubmit={send}>
      <label htmlFor={id} className="visually-hidden">
        Question
      </label>
      <textarea
        ref={field}
        id={id}
        rows={1}
        value={text}
        placeholder="Ask about the chain…"
        enterKeyHint="send"
        aria-invalid={isTooLong}
        onChange={(event) => {
          isWaiting.current = false
          onChange(event.target.value)
        }}
        onKeyDown={press}
      />
      <div className="composer-row">
        {settings !== undefined && settings.modes.length > 0 && (
          <ModeChoice modes={settings.modes} mode={mode} onMode={onMode} />
        )}
        {text.length > max * counterThreshold && (
          <span className={isTooLong ? 'field-error' : 'soft'} role="status">
            {formatNumber(text.length)} of {formatNumber(max)} characters
          </span>
        )}
        {settings !== undefined && contextCharacters > 0 && (
          <ContextMeter used={contextCharacters} max={settings.max_history_characters} />
        )}
        <span className="composer-end">
          {/* Not in place of the send button, so that a double click does not stop the answer. */}
          {isRunning && (
            <button type="button" className="stop-button" onClick={onStop}>
              <Icon name="stop" size={14} /> Stop
            </button>
          )}
          <button type="submit" className="send-button" aria-label="Send" title="Send (Enter)" disabled={isIdle}>
            <Icon name="send" size={18} />
          </button>
        </span>
      </div>
    </Form>
  )
}

const charactersPerToken = 4
const warnAt = 0.8

function ContextMeter({ used, max }: { readonly used: number; readonly max: number }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const share = Math.min(1, used / max)
  const percent = Math.round(share * 100)
  const tokens = (characters: number): string => formatNumber(Number((characters / charactersPerToken).toPrecision(2)))
  return (
    <>
      <button
        type="button"
        className={share >= warnAt ? 'context-meter warn' : 'context-meter'}
        aria-label={`Context ${percent}% full`}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="8" cy="8" r="6" pathLength="100" />
          <circle cx="8" cy="8" r="6" pathLength="100" strokeDasharray={`${percent} 100`} />
        </svg>
        {share >= warnAt && <span>Context {percent}% full</span>}
      </button>
      <p id={id} className="context-note soft" hidden={!isOpen}>
        {share < 1
          ? `About ${tokens(used)} of ${tokens(max)} tokens of conversation are used. When it is full, the oldest ` +
            'messages are no longer sent to the model.'
          : 'The conversation is full: its oldest messages are no longer sent to the model. They stay visible here. ' +
            'Start a new chat for another subject.'}
      </p>
    </>
  )
}

const modeTexts: Readonly<Record<ChatMode, { readonly name: string; readonly about: string }>> = {
  fast: { name: 'Fast', about: 'smallest model, for simple questions' },
  balanced: { name: 'Balanced', about: 'good answers in reasonable time' },
  deep: { name: 'Deep', about: 'largest model, reasons before it answers' },
}

interface ModeChoiceProps {
  readonly modes: ChatSettings['modes']
  readonly mode: ChatMode
  readonly onMode: (mode: ChatMode) => void
}

function ModeChoice({ modes, mode, onMode }: ModeChoiceProps): ReactNode {
  const chosen = modes.find((each) => each.mode === mode)
  return (
    <>
      {modes.length > 1 && (
        <select
          className="mode"
          aria-label="Mode"
          title={modeTexts[mode].about}
          value={mode}
          onChange={(event) => onMode(modes.find((each) => each.mode === event.target.value)?.mode ?? mode)}
        >
          {modes.map((each) => (
            <option key={each.mode} value={each.mode} title={modeTexts[each.mode].about}>
              {modeTexts[each.mode].name}
            </option>
          ))}
        </select>
      )}
      {chosen?.model.startsWith('scripted') === false && (
        <span className="mode-model soft">{chosen.model.split('/').at(-1)}</span>
      )}
    </>
  )
}
