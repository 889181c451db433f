import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { ErrorState, Loading, EmptyState } from '../../kit/state.tsx'
import { failureText } from '../api.ts'
import { Link, navigate, useSearchValue } from '../../kit/router.tsx'
import { PageTitle } from '../parts/page.tsx'
import { useSuggestions } from '../suggestions.ts'
import { sanitizeName } from '../text.ts'

/** What an id is exactly: nobody wants to choose from one. */
const exact = /^(?:\d+|(?:0x)?[0-9a-f]{16}|(?:0x)?[0-9a-f]{64}|0x[0-9a-f]{40})$/i

/** Everything that fits a text. What can only be one thing is gone to at once. */
export function SearchPage(): ReactNode {
  const [text] = useSearchValue('q')
  const { suggestions, isAsking, error, retry } = useSuggestions(text)
  const [only] = suggestions
  const target = !isAsking && suggestions.length === 1 && exact.test(text) ? only?.to : undefined
  useEffect(() => {
    if (target !== undefined) navigate(target, { isReplacing: true })
  }, [target])
  return (
    <>
      <PageTitle title={text === '' ? 'Search' : `Search for “${text}”`} />
      <section className="panel" aria-label="Results" aria-busy={isAsking}>
        <Results text={text} suggestions={suggestions} isAsking={isAsking} error={error} onRetry={retry} />
      </section>
    </>
  )
}

interface ResultsProps {
  readonly text: string
  readonly suggestions: ReturnType<typeof useSuggestions>['suggestions']
  readonly isAsking: boolean
  readonly error: unknown
  readonly onRetry: () => void
}

function Results({ text, suggestions, isAsking, error, onRetry }: ResultsProps): ReactNode {
  if (text === '') {
    return (
      <EmptyState title="What are you looking for?">
        A height, the id of a transaction or block, an address of Flow or its EVM, or the name of a token, collection,
        contract or account.
      </EmptyState>
    )
  }
  if (suggestions.length === 0 && isAsking) return <Loading label="Searching" rows={5} />
  if (error !== null) return <ErrorState title="Could not search" detail={failureText(error)} onRetry={onRetry} />
  if (suggestions.length === 0) {
    return (
      <EmptyState title="Nothing was found">
        Look whether an id was copied whole: transactions have 64 digits, accounts 16, addresses of the EVM 40. Names
        are found by their beginning; try less of it.
      </EmptyState>
    )
  }
  return (
    <ul className="results">
      {suggestions.map(({ to, kind, name, note }) => (
        <li key={to}>
          <span className="badge">{kind}</span>
          <Link to={to}>{sanitizeName(name)}</Link>
          <span className="soft">{note}</span>
        </li>
      ))}
    </ul>
  )
}
