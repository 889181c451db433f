import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import type { Suggested, Suggestion } from './suggestions.ts'
import { sayName } from './text.ts'

export interface SearchSuggestionsProps {
  readonly id: string
  readonly isShown: boolean
  readonly suggested: Suggested
  /** Which one the keyboard is at; -1 for none. */
  readonly at: number
  readonly onChoose: (suggestion: Suggestion) => void
}

/** The id of an option, by which the field says where the keyboard is. */
export function optionId(listId: string, at: number): string {
  return `${listId}-${at}`
}

/** What fits what is typed, as the list of a combobox; or why there is nothing. */
export function SearchSuggestions({ id, isShown, suggested, at, onChoose }: SearchSuggestionsProps): ReactNode {
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
            <span className="name">{sayName(suggestion.name)}</span>
            {suggestion.note !== '' && <span className="soft">{sayName(suggestion.note)}</span>}
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
