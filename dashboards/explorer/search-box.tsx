import { useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { Icon } from '../kit/controls.tsx'
import { navigate, useLocation } from '../kit/router.tsx'
import { paths, sanitizeName } from './text.ts'
import { useSuggestions } from './suggestions.ts'
import type { Suggested, Suggestion } from './suggestions.ts'

/** How long one has to stop typing before it is asked, ms. */
const pauseMs = 200

/** Search with suggestions; Enter shows all results. A combobox by the ARIA practices. */
export function SearchBox(): ReactNode {
  const { path, search } = useLocation()
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
  const suggested = useSuggestions(asked)
  const { suggestions, isAsking } = suggested
  const isAnswered = asked === text.trim() && !isAsking
  // What fitted before the last letter stays until it is known what fits now.
  const isShown = isOpen && text.trim() !== '' && asked !== '' && (suggestions.length > 0 || isAnswered)
  const go = (to: string): void => {
    setIsOpen(false)
    setAt(-1)
    navigate(to)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      setIsOpen(false)
      setAt(-1)
    }
    if (!isShown || !isAnswered || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || suggestions.length === 0)
      return
    event.preventDefault()
    const step = event.key === 'ArrowDown' ? 1 : -1
    // Between the last and the first one is none: what was typed.
    const places = suggestions.length + 1
    setAt(((at + 1 + step + places) % places) - 1)
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
          aria-activedescendant={chosen === undefined ? undefined : optionId(listId, at)}
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
        <kbd aria-hidden="true">/</kbd>
        <SearchSuggestions id={listId} isShown={isShown} suggested={suggested} at={at} onChoose={({ to }) => go(to)} />
      </form>
    </search>
  )
}

interface SearchSuggestionsProps {
  readonly id: string
  readonly isShown: boolean
  readonly suggested: Suggested
  /** Which one the keyboard is at; -1 for none. */
  readonly at: number
  readonly onChoose: (suggestion: Suggestion) => void
}

/** The id of an option, by which the field says where the keyboard is. */
function optionId(listId: string, at: number): string {
  return `${listId}-${at}`
}

/** What fits what is typed, as the list of a combobox; or why there is nothing. */
function SearchSuggestions({ id, isShown, suggested, at, onChoose }: SearchSuggestionsProps): ReactNode {
  const { suggestions, error } = suggested
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const isList = isShown && suggestions.length > 0
  return (
    <>
      <div ref={list} id={id} className="suggestions" role="listbox" aria-label="Suggestions" hidden={!isList}>
        {suggestions.map((suggestion, i) => (
          <div
            key={suggestion.to}
            id={optionId(id, i)}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            // The field keeps the focus, and with it the list, until the pointer is up: a finger may want to scroll.
            onPointerDown={(event) => event.preventDefault()}
            onPointerUp={({ button }) => {
              if (button === 0) onChoose(suggestion)
            }}
          >
            <span className="badge">{suggestion.kind}</span>
            <span className="name">{sanitizeName(suggestion.name)}</span>
            {suggestion.note !== '' && <span className="soft">{sanitizeName(suggestion.note)}</span>}
          </div>
        ))}
      </div>
      {isShown && !isList && (
        <p className="suggestions soft">
          {error === null ? 'Nothing of this name so far.' : 'The search does not answer. Enter tries again.'}
        </p>
      )}
      <span className="visually-hidden" role="status">
        {isShown ? `${suggestions.length} suggestions` : ''}
      </span>
    </>
  )
}
