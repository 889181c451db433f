import { useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { Form, Icon } from '../kit/controls.tsx'
import { navigate, useLocation } from '../kit/router.tsx'
import { Picture } from './parts/values.tsx'
import { maxSearchLength, useSuggestions } from './suggestions.ts'
import type { Suggestion, Suggestions } from './suggestions.ts'
import { initialOf, paths, sanitizeName } from './text.ts'

const debounceMs = 200

const maxPerGroup = 4

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
  const result = useSuggestions(query, maxPerGroup)
  const suggestions = result.groups.flatMap((group) => group.suggestions)
  const isCurrent = query === text.trim() && !result.isLoading
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
          const target = chosen?.to ?? (isCurrent ? result.target : undefined)
          if (text.trim() !== '') go(target ?? paths.search(text.trim()))
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
          placeholder="Name, address, ID, height, date or link…"
          maxLength={maxSearchLength}
          autoComplete="off"
          autoCapitalize="none"
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
        <SearchSuggestions
          id={listId}
          text={query}
          isShown={isShown}
          result={result}
          at={at}
          onChoose={({ to }) => go(to)}
        />
      </Form>
    </search>
  )
}

interface SearchSuggestionsProps {
  readonly id: string
  readonly text: string
  readonly isShown: boolean
  readonly result: Suggestions
  readonly at: number
  readonly onChoose: (suggestion: Suggestion) => void
}

function optionId(listId: string, at: number): string {
  return `${listId}-${at}`
}

function SearchSuggestions({ id, text, isShown, result, at, onChoose }: SearchSuggestionsProps): ReactNode {
  const { groups, error } = result
  useEffect(() => {
    document.getElementById(optionId(id, at))?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  const isList = isShown && groups.length > 0
  const count = groups.reduce((sum, { suggestions }) => sum + suggestions.length, 0)
  let next = 0
  return (
    <>
      <div id={id} className="suggestions" role="listbox" aria-label="Suggestions" hidden={!isList}>
        {groups.map(({ title, suggestions }) => (
          <div key={title} role="group" aria-label={title}>
            <p aria-hidden="true">{title}</p>
            {suggestions.map((suggestion) => {
              const i = next++
              return (
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
                  <SuggestionMark suggestion={suggestion} size={20} />
                  <span className="name">
                    <MatchedText name={suggestion.name} text={text} />
                  </span>
                  {suggestion.note !== '' && <span className="soft">{sanitizeName(suggestion.note)}</span>}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      {isShown && !isList && (
        <p className="suggestions soft">
          {error === null ? 'No matches. Press Enter for examples.' : 'Search failed. Press Enter to retry.'}
        </p>
      )}
      <span className="visually-hidden" role="status">
        {isShown ? `${count} suggestions` : ''}
      </span>
    </>
  )
}

interface SuggestionMarkProps {
  readonly suggestion: Suggestion
  readonly size: number
}

export function SuggestionMark({ suggestion: { kind, picture, name }, size }: SuggestionMarkProps): ReactNode {
  if (kind !== undefined) return <span className="badge">{kind}</span>
  return picture === undefined ? null : <Picture {...picture} alt="" size={size} letter={initialOf(name)} />
}

interface MatchedTextProps {
  readonly name: string
  readonly text: string
}

export function MatchedText({ name, text }: MatchedTextProps): ReactNode {
  const whole = sanitizeName(name)
  const start = text === '' ? -1 : whole.toLowerCase().indexOf(text.toLowerCase())
  if (start < 0) return whole
  const end = start + text.length
  return (
    <>
      {whole.slice(0, start)}
      <mark>{whole.slice(start, end)}</mark>
      {whole.slice(end)}
    </>
  )
}
