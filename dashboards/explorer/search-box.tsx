import { useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { Form, Icon } from '../kit/controls.tsx'
import { navigate, useLocation } from '../kit/router.tsx'
import { paths, sanitizeName } from './text.ts'
import { useSuggestions } from './suggestions.ts'
import type { Suggestion, Suggestions } from './suggestions.ts'

const debounceMs = 200

/** Follows the ARIA combobox pattern. */
export function SearchBox(): ReactNode {
  const { path, search } = useLocation()
  const url = `${path}${search}`
  const [typed, setTyped] = useState({ url: '', text: '' })
  const text = typed.url === url ? typed.text : path === '/search' ? (new URLSearchParams(search).get('q') ?? '') : ''
  const setText = (next: string): void => setTyped({ url, text: next })
  const [query, setQuery] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const [at, setAt] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  useEffect(() => {
    const timer = setTimeout(() => setQuery(text.trim()), debounceMs)
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
  const result = useSuggestions(query)
  const { suggestions, isLoading } = result
  const isCurrent = query === text.trim() && !isLoading
  const isShown = isOpen && text.trim() !== '' && query !== '' && (suggestions.length > 0 || isCurrent)
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
    if (!isShown || !isCurrent || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || suggestions.length === 0)
      return
    event.preventDefault()
    const step = event.key === 'ArrowDown' ? 1 : -1
    const positions = suggestions.length + 1
    setAt(((at + 1 + step + positions) % positions) - 1)
  }
  const chosen = at >= 0 ? suggestions[at] : undefined
  return (
    <search className="search">
      <Form
        onSubmit={() => {
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
          placeholder="Height, ID, address or name…"
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
        <SearchSuggestions id={listId} isShown={isShown} result={result} at={at} onChoose={({ to }) => go(to)} />
      </Form>
    </search>
  )
}

interface SearchSuggestionsProps {
  readonly id: string
  readonly isShown: boolean
  readonly result: Suggestions
  readonly at: number
  readonly onChoose: (suggestion: Suggestion) => void
}

function optionId(listId: string, at: number): string {
  return `${listId}-${at}`
}

function SearchSuggestions({ id, isShown, result, at, onChoose }: SearchSuggestionsProps): ReactNode {
  const { suggestions, error } = result
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
            // Keeps the list open while a touch scrolls it.
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
        <p className="suggestions soft">{error === null ? 'No matches' : 'Search failed. Press Enter to retry.'}</p>
      )}
      <span className="visually-hidden" role="status">
        {isShown ? `${suggestions.length} suggestions` : ''}
      </span>
    </>
  )
}
