import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { Link, navigate, useSearchValue } from '../../kit/router.tsx'
import { EmptyState, ErrorState, Loading } from '../../kit/state.tsx'
import { loadErrorText, useApi } from '../api.ts'
import { Detail, DetailList, PageTitle } from '../parts/page.tsx'
import { MatchedText, SuggestionMark } from '../search-box.tsx'
import { maxSearchLength, useSuggestions } from '../suggestions.ts'
import type { SuggestionGroup, Suggestions } from '../suggestions.ts'
import { paths, sanitizeName } from '../text.ts'

const maxPerGroup = 20

export function SearchPage(): ReactNode {
  const [value] = useSearchValue('q')
  const text = value.trim().slice(0, maxSearchLength)
  const result = useSuggestions(text, maxPerGroup)
  const target = result.isLoading ? undefined : result.target
  useEffect(() => {
    if (target !== undefined) navigate(target, { isReplacing: true })
  }, [target])
  return (
    <>
      <PageTitle title={text === '' ? 'Search' : `Search for “${sanitizeName(text)}”`} />
      <Results text={text} result={result} />
    </>
  )
}

interface ResultsProps {
  readonly text: string
  readonly result: Suggestions
}

function Results({ text, result: { groups, isLoading, error, retry } }: ResultsProps): ReactNode {
  if (text === '') return <SearchHelp title="Enter a search term" text="" />
  if (error !== null && !isLoading) {
    return (
      <section className="panel" aria-label="Results">
        <ErrorState title="Search failed" detail={loadErrorText(error)} onRetry={retry} />
      </section>
    )
  }
  if (groups.length === 0 && isLoading) {
    return (
      <section className="panel" aria-label="Results" aria-busy>
        <Loading label="Searching…" rows={5} />
      </section>
    )
  }
  if (groups.length === 0) return <SearchHelp title="No results" text={text} />
  return (
    <>
      {groups.every(({ isSimilar }) => isSimilar) && (
        <p className="soft">No name contains “{sanitizeName(text)}”. These are spelled similarly.</p>
      )}
      {groups.map((group) => (
        <ResultGroup key={group.title} text={text} group={group} isLoading={isLoading} />
      ))}
    </>
  )
}

interface ResultGroupProps {
  readonly text: string
  readonly group: SuggestionGroup
  readonly isLoading: boolean
}

function ResultGroup({ text, group: { title, suggestions }, isLoading }: ResultGroupProps): ReactNode {
  const heading = title.charAt(0).toUpperCase() + title.slice(1)
  return (
    <section className="panel" aria-label={heading} aria-busy={isLoading}>
      <header>
        <h2>{heading}</h2>
        {suggestions.length === maxPerGroup && <span className="soft">First {maxPerGroup} results</span>}
      </header>
      <ul className="results">
        {suggestions.map((suggestion) => (
          <li key={suggestion.to}>
            <SuggestionMark suggestion={suggestion} size={28} />
            <div>
              <Link to={suggestion.to}>
                <MatchedText name={suggestion.name} text={text} />
              </Link>
              <span className="soft">{sanitizeName(suggestion.note, '')}</span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

const exampleKinds = {
  block: 'Block height',
  day: 'Day (UTC)',
  transaction: 'Transaction ID',
  account: 'Address',
  token: 'Token',
  nft_collection: 'NFT collection',
  contract: 'Contract',
  event_type: 'Event',
} as const

/** `https://testnet.flowscan.io/…` → `testnet`; undefined for links of unknown explorers. */
function networkOfLink(text: string): 'mainnet' | 'testnet' | undefined {
  const host = /^(?:https?:\/\/)?([\w.-]+)\//i.exec(text)?.[1]?.toLowerCase() ?? ''
  if (host.includes('testnet')) return 'testnet'
  return /(?:^|\.)(?:flowscan\.(?:io|org)|flowdiver\.io|explorer\.flow\.com)$/.test(host) ? 'mainnet' : undefined
}

function SearchHelp({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  const { data } = useApi('/flow/search/examples')
  const { data: status } = useApi('/status')
  const network = networkOfLink(text)
  const isOtherNetwork = network !== undefined && status !== undefined && status.chain_id !== `flow-${network}`
  const hasExamples = data !== undefined && data.data.length > 0
  return (
    <section className="panel" aria-label="Results">
      <EmptyState title={title}>
        {isOtherNetwork && `The link is of Flow ${network}, and this explorer has ${status.chain_id}. `}
        Search for a block, transaction, account, public key, node, token, NFT, contract or event, by its ID or name.
        You can also paste a link of another Flow explorer.
      </EmptyState>
      {hasExamples && (
        <DetailList>
          {data.data.map(({ kind, text }) => (
            <Detail key={kind} name={exampleKinds[kind]}>
              <Link to={paths.search(text)}>{sanitizeName(text)}</Link>
            </Detail>
          ))}
        </DetailList>
      )}
    </section>
  )
}
