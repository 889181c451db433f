import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { ColumnName, Table, TableBody, TableHead } from '../../kit/table.tsx'
import { Loading, NothingHere } from '../../kit/state.tsx'
import { itemsOf } from '../queries.ts'
import type { ItemOf, ListPath, ListQuery } from '../queries.ts'
import { Trouble } from './answer.tsx'

export interface Column {
  readonly name: string
  readonly isNumber?: boolean
}

export interface ListPanelProps<Path extends ListPath> {
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
      {list.isSuccess && items.length === 0 && <NothingHere title={`No ${what}`}>{whenEmpty}</NothingHere>}
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
