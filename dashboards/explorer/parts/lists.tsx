import type { Key, ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiProblem, problemText } from '../../kit/api.ts'
import { Button } from '../../kit/controls.tsx'
import { useSearchValue } from '../../kit/router.tsx'
import { Loading, EmptyState, ErrorState } from '../../kit/state.tsx'
import { DataTable } from '../../kit/table.tsx'
import type { Column } from '../../kit/table.tsx'
import { itemsOf, loadErrorText } from '../api.ts'
import type { ItemOf, ListPath, ListQuery } from '../api.ts'

interface ListProps<Path extends ListPath> {
  readonly list: ListQuery<Path>
  readonly what: string
  readonly emptyText?: ReactNode
  readonly header?: ReactNode
  readonly isShown?: (item: ItemOf<Path>) => boolean
}

interface TableListProps<Path extends ListPath> extends ListProps<Path> {
  readonly columns: readonly Column<ItemOf<Path>>[]
  readonly itemKey: (item: ItemOf<Path>) => Key
}

interface CardListProps<Path extends ListPath> extends ListProps<Path> {
  readonly renderCard: (item: ItemOf<Path>) => ReactNode
}

export function TableList<Path extends ListPath>({ columns, itemKey, ...rest }: TableListProps<Path>): ReactNode {
  return (
    <ListPanel
      {...rest}
      render={(items) => <DataTable label={rest.what} columns={columns} items={items} itemKey={itemKey} />}
    />
  )
}

export function CardList<Path extends ListPath>({ renderCard, ...rest }: CardListProps<Path>): ReactNode {
  return <ListPanel {...rest} render={(items) => <ul className="cards">{items.map(renderCard)}</ul>} />
}

interface ListPanelProps<Path extends ListPath> extends ListProps<Path> {
  readonly render: (items: readonly ItemOf<Path>[]) => ReactNode
}

function ListPanel<Path extends ListPath>({
  list,
  what,
  emptyText,
  header,
  isShown = () => true,
  render,
}: ListPanelProps<Path>): ReactNode {
  const loaded = itemsOf(list)
  const items = loaded.filter(isShown)
  return (
    <section className="panel list" aria-label={what} aria-busy={list.isFetching}>
      {header}
      {list.isPending && <Loading rows={6} label={`Loading ${what}…`} />}
      {list.isError && loaded.length === 0 && (
        <LoadError error={list.error} what={what} onRetry={() => void list.refetch()} />
      )}
      {list.isSuccess && items.length === 0 && <EmptyState title={`No ${what}`}>{emptyText}</EmptyState>}
      {items.length > 0 && render(items)}
      {list.isFetchNextPageError && (
        <LoadError error={list.error} what={`more ${what}`} onRetry={() => void list.fetchNextPage()} />
      )}
      {list.hasNextPage && !list.isFetchNextPageError && (
        <footer>
          <LoadMore list={list} what={what} />
        </footer>
      )}
    </section>
  )
}

interface LoadMoreProps {
  readonly list: { readonly isFetchingNextPage: boolean; readonly fetchNextPage: () => Promise<unknown> }
  readonly what: string
}

export function LoadMore({ list, what }: LoadMoreProps): ReactNode {
  return (
    <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {list.isFetchingNextPage ? 'Loading…' : `Load more ${what}`}
    </Button>
  )
}

interface QueryResultProps<Value> {
  readonly query: UseQueryResult<Value>
  readonly what: string
  readonly rows?: number
  readonly children: (value: Value) => ReactNode
}

export function QueryResult<Value>({ query, what, rows = 4, children }: QueryResultProps<Value>): ReactNode {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <LoadError error={query.error} what={what} onRetry={() => void query.refetch()} />
  return <Loading rows={rows} label={`Loading ${what}…`} />
}

interface ItemResultProps<Item> extends Omit<QueryResultProps<unknown>, 'query' | 'children'> {
  readonly query: UseQueryResult<{ readonly data: readonly Item[] }>
  readonly children: (item: Item) => ReactNode
}

export function ItemResult<Item>({ children, ...rest }: ItemResultProps<Item>): ReactNode {
  return <QueryResult {...rest}>{({ data: [item] }) => item !== undefined && children(item)}</QueryResult>
}

interface LoadErrorProps {
  readonly error: unknown
  readonly what: string
  readonly onRetry: () => void
}

export function LoadError({ error, what, onRetry }: LoadErrorProps): ReactNode {
  if (error instanceof ApiProblem && error.status === 404) {
    return (
      <EmptyState title={`Could not find ${what}`}>
        {problemText(error)} It may not be indexed yet, precede the first indexed block, or belong to another network.
      </EmptyState>
    )
  }
  if (error instanceof ApiProblem && error.status === 400) {
    return (
      <EmptyState title={`Could not open ${what}`}>
        {problemText(error)} Check that the ID or address is complete, or search for it above.
      </EmptyState>
    )
  }
  return <ErrorState title={`Could not load ${what}`} detail={loadErrorText(error)} onRetry={onRetry} />
}

const debounceMs = 300

export function ListFilter({ label }: { readonly label: string }): ReactNode {
  const [search, setSearch] = useSearchValue('search')
  const [text, setText] = useState(search)
  useEffect(() => {
    if (text.trim() === search) return
    const timer = setTimeout(() => setSearch(text.trim()), debounceMs)
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
