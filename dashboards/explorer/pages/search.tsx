import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { Link, navigate, useSearchValue } from '../../kit/router.tsx'
import { ErrorState, Loading, EmptyState } from '../../kit/state.tsx'
import { loadErrorText } from '../api.ts'
import { PageTitle } from '../parts/page.tsx'
import { useSuggestions } from '../suggestions.ts'
import type { Suggestions } from '../suggestions.ts'
import { sanitizeName } from '../text.ts'

/** A height, ID or address, which has at most one match. */
const exactPattern = /^(?:\d+|(?:0x)?[0-9a-f]{16}|(?:0x)?[0-9a-f]{64}|0x[0-9a-f]{40})$/i

export function SearchPage(): ReactNode {
  const [text] = useSearchValue('q')
  const result = useSuggestions(text)
  const { suggestions, isLoading } = result
  const target = !isLoading && suggestions.length === 1 && exactPattern.test(text) ? suggestions[0]?.to : undefined
  useEffect(() => {
    if (target !== undefined) navigate(target, { isReplacing: true })
  }, [target])
  return (
    <>
      <PageTitle title={text === '' ? 'Search' : `Search for “${text}”`} />
      <section className="panel" aria-label="Results" aria-busy={isLoading}>
        <Results text={text} result={result} />
      </section>
    </>
  )
}

interface ResultsProps {
  readonly text: string
  readonly result: Suggestions
}

function Results({ text, result: { suggestions, isLoading, error, retry } }: ResultsProps): ReactNode {
  if (text === '') {
    return (
      <EmptyState title="Enter a search term">
        Search for a block height, a block or transaction ID, a Flow or EVM address, or the name of a token, collection,
        contract or account.
      </EmptyState>
    )
  }
  if (suggestions.length === 0 && isLoading) return <Loading label="Searching…" rows={5} />
  if (error !== null) return <ErrorState title="Search failed" detail={loadErrorText(error)} onRetry={retry} />
  if (suggestions.length === 0) {
    return (
      <EmptyState title="No results">
        Check that IDs are complete: transactions have 64 hex digits, accounts 16, EVM addresses 40. Names match from
        their beginning; try a shorter one.
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
