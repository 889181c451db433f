import { useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { Icon } from '../kit/icon.tsx'
import { paths } from './paths.ts'
import { navigate, usePlace } from './router.ts'
import { useSuggestions } from './suggestions.ts'
import { sayName } from './text.ts'

/** How long one has to stop typing before it is asked, ms. */
const pauseMs = 200

/** Finds anything: suggestions while one types, a press of Enter for all that there is. A combobox of the ARIA practices. */
export function SearchBox(): ReactNode {
  const { path, search } = usePlace()
  const here = `${path}${search}`
  const [typed, setTyped] = useState({ here: '', text: '' })
  // What was typed is of the page where it was typed: elsewhere the field is empty, or has what was searched for.
  const text = typed.here === here ? typed.text : path === '/search' ? (new URLSearchParams(search).get('q') ?? '') : ''
  const setText = (next: string): void => setTyped({ here, text: next })
  const [asked, setAsked] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const [at, setAt] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      input.current?.focus()
    }
    window.addEventListener('keydown', focus)
    return () => window.removeEventListener('keydown', focus)
  }, [])
  const { suggestions, isAsking } = useSuggestions(asked)
  const isShown = isOpen && text.trim() !== '' && asked === text.trim() && (suggestions.length > 0 || !isAsking)
  const go = (to: string): void => {
    setIsOpen(false)
    navigate(to)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      setIsOpen(false)
      setAt(-1)
    }
    if (!isShown || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || suggestions.length === 0) return
    event.preventDefault()
    const step = event.key === 'ArrowDown' ? 1 : -1
    setAt((at + step + suggestions.length + 1) % (suggestions.length + 1) === suggestions.length ? -1 : (at + step + suggestions.length) % suggestions.length)
  }
  const chosen = at >= 0 ? suggestions[at] : undefined
  return (
    <search className="search">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen !== undefined) go(chosen.to)
          else if (text.trim() !== '') go(paths.search(text.trim()))
        }}
      >
        <Icon name="search" />
        <input
          ref={input}
          className="input"
          type="search"
          role="combobox"
          aria-label="Search"
          aria-expanded={isShown}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={chosen === undefined ? undefined : `${listId}-${at}`}
          placeholder="Height, id, address, name…"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setIsOpen(true)
            setAt(-1)
          }}
          onFocus={() => setIsOpen(true)}
          onBlur={() => setIsOpen(false)}
          onKeyDown={press}
        />
        <div id={listId} className="suggestions" role="listbox" aria-label="Suggestions" hidden={!isShown}>
          {suggestions.map(({ to, kind, name, note }, i) => (
            <div
              key={to}
              id={`${listId}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === at}
              onPointerDown={(event) => {
                event.preventDefault()
                go(to)
              }}
            >
              <span className="badge">{kind}</span>
              <span className="name">{sayName(name)}</span>
              {note !== '' && <span className="soft">{note}</span>}
            </div>
          ))}
        </div>
        {isShown && suggestions.length === 0 && <p className="suggestions soft">Nothing of this name so far.</p>}
        <span className="visually-hidden" role="status">
          {isShown ? `${suggestions.length} suggestions` : ''}
        </span>
      </form>
    </search>
  )
}
