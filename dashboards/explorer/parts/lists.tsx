import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '../../kit/controls.tsx'
import { ColumnName, Table, TableBody, TableHead } from '../../kit/table.tsx'
import { Loading, EmptyState, ErrorState } from '../../kit/state.tsx'
import { itemsOf, failureText } from '../api.ts'
import { ApiProblem, problemText } from '../../kit/api.ts'
import type { ItemOf, ListPath, ListQuery } from '../api.ts'
import { useSearchValue } from '../../kit/router.tsx'

export interface Column {
  readonly name: string
  readonly isNumber?: boolean
}

interface ListPanelProps<Path extends ListPath> {
  readonly list: ListQuery<Path>
  /** What the list holds, in words: `transactions`. */
  readonly what: string
  /** Default: no table, what `row` returns is laid out as cards. */
  readonly columns?: readonly Column[]
  readonly renderRow: (item: ItemOf<Path>, index: number) => ReactNode
  /** What would have to happen for something to be here. */
  readonly whenEmpty?: ReactNode
  readonly header?: ReactNode
  /** Leaves out what one does not want to see of what was loaded. Default: all is shown. */
  readonly isShown?: (item: ItemOf<Path>) => boolean
}

/** A list of the API with all of its states; more of it on demand. */
export function ListPanel<Path extends ListPath>({
  list,
  what,
  columns,
  renderRow,
  whenEmpty,
  header,
  isShown = () => true,
}: ListPanelProps<Path>): ReactNode {
  const loaded = itemsOf(list)
  const items = loaded.filter(isShown)
  return (
    <section className="panel list" aria-label={what} aria-busy={list.isFetching}>
      {header}
      {list.isPending && <Loading rows={6} label={`Loading ${what}`} />}
      {list.isError && loaded.length === 0 && (
        <Trouble error={list.error} what={what} onRetry={() => void list.refetch()} />
      )}
      {list.isSuccess && items.length === 0 && <EmptyState title={`No ${what}`}>{whenEmpty}</EmptyState>}
      {items.length > 0 &&
        (columns === undefined ? (
          <ul className="cards">{items.map(renderRow)}</ul>
        ) : (
          <Table className="cards-when-narrow" aria-label={what}>
            <TableHead>
              {columns.map(({ name, isNumber = false }) => (
                <ColumnName key={name} className={isNumber ? 'number' : undefined}>
                  {name}
                </ColumnName>
              ))}
            </TableHead>
            <TableBody>{items.map(renderRow)}</TableBody>
          </Table>
        ))}
      {list.isFetchNextPageError && (
        <Trouble error={list.error} what={`more ${what}`} onRetry={() => void list.fetchNextPage()} />
      )}
      {list.hasNextPage && !list.isFetchNextPageError && (
        <footer>
          <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {list.isFetchingNextPage ? 'Loading…' : `More ${what}`}
          </Button>
        </footer>
      )}
    </section>
  )
}

interface AnswerProps<Value> {
  readonly query: UseQueryResult<Value>
  /** What is waited for: `the block`. */
  readonly what: string
  readonly rows?: number
  readonly children: (value: Value) => ReactNode
}

/** What was asked for, or words for why it is not there. */
export function Answer<Value>({ query, what, rows = 4, children }: AnswerProps<Value>): ReactNode {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <Trouble error={query.error} what={what} onRetry={() => void query.refetch()} />
  return <Loading rows={rows} label={`Loading ${what}`} />
}

/** Says that something is not there, or why it could not be had. */
export function Trouble({
  error,
  what,
  onRetry,
}: {
  readonly error: unknown
  readonly what: string
  readonly onRetry: () => void
}): ReactNode {
  if (error instanceof ApiProblem && error.status === 404) {
    return (
      <EmptyState title={`Nobody here knows ${what}`}>
        {problemText(error)} It may be newer than what is indexed, older than the first block that is kept, or of
        another network.
      </EmptyState>
    )
  }
  if (error instanceof ApiProblem && error.status === 400) {
    return (
      <EmptyState title={`This address does not lead to ${what}`}>
        {problemText(error)} Look whether it was copied whole, or search for it above.
      </EmptyState>
    )
  }
  return <ErrorState title={`Could not load ${what}`} detail={failureText(error)} onRetry={onRetry} />
}

const pauseMs = 300

/** A field that narrows a list by a text, which is kept in the address as `search`. */
export function ListFilter({ label }: { readonly label: string }): ReactNode {
  const [search, setSearch] = useSearchValue('search')
  const [text, setText] = useState(search)
  useEffect(() => {
    if (text.trim() === search) return
    const timer = setTimeout(() => setSearch(text.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [text, search, setSearch])
  return (
    <label className="filter">
      <span className="visually-hidden">{label}</span>
      <input
        className="input"
        type="search"
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  )
}
