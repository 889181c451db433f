import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Icon } from '../../kit/icon.tsx'
import { Markdown } from '../markdown/markdown.tsx'

/** What the model thought before it answered: closed, and there for who wants to read it. */
export function Thinking({ text, isLive }: { readonly text: string; readonly isLive: boolean }): ReactNode {
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
        {isLive ? <span className="spinner" /> : <Icon name="thought" />}
        <span className="call-text">{isLive ? 'Thinking' : 'Thought about it'}</span>
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
