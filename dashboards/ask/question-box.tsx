import { useId } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { Button, Form, Icon } from '../kit/controls.tsx'
import { useHealth } from './api.ts'

export interface QuestionBoxProps {
  readonly question: string
  readonly isGenerating: boolean
  readonly onChange: (question: string) => void
  readonly onAsk: () => void
  readonly onGenerate: () => void
  readonly onCancel: () => void
}

export function QuestionBox({
  question,
  isGenerating,
  onChange,
  onAsk,
  onGenerate,
  onCancel,
}: QuestionBoxProps): ReactNode {
  const { data: health } = useHealth()
  const id = useId()
  const model = health?.model
  const isUnanswerable = model === null
  const isIdle = question.trim() === '' || isGenerating || isUnanswerable
  const press = (event: KeyboardEvent): void => {
    // Enter also commits an IME composition.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (!isIdle) onAsk()
  }
  return (
    <Form
      className="question"
      onSubmit={() => {
        if (!isIdle) onAsk()
      }}
    >
      <label htmlFor={id} className="visually-hidden">
        Question
      </label>
      <textarea
        id={id}
        className="input"
        rows={2}
        value={question}
        placeholder="How many transactions were there on each of the last seven days?"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={press}
      />
      <div className="button-row">
        <Button type="submit" look="strong" disabled={isIdle}>
          Ask
        </Button>
        <Button disabled={isIdle} onClick={onGenerate}>
          Write SQL only
        </Button>
        {/* Not in place of the Ask button, so that a double click does not cancel. */}
        {isGenerating && (
          <Button onClick={onCancel}>
            <Icon name="cross" size={14} /> Cancel
          </Button>
        )}
        {model?.is_scripted === false && <span className="soft model">Model: {model.name}</span>}
      </div>
    </Form>
  )
}
