import type { ComponentProps, Key, ReactNode } from 'react'

/**
 * Rows become cards on narrow screens. Roles are explicit because `display: block` removes the
 * implicit ones.
 */
export function Table(props: ComponentProps<'table'>): ReactNode {
  return <table role="table" {...props} className={`table ${props.className ?? ''}`} />
}

export function TableHead({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <thead role="rowgroup">
      <tr role="row">{children}</tr>
    </thead>
  )
}

export function TableBody({ children }: { readonly children: ReactNode }): ReactNode {
  return <tbody role="rowgroup">{children}</tbody>
}

export function Row(props: ComponentProps<'tr'>): ReactNode {
  return <tr role="row" {...props} />
}

export function ColumnName(props: ComponentProps<'th'>): ReactNode {
  return <th role="columnheader" scope="col" {...props} />
}

export function RowName(props: ComponentProps<'th'>): ReactNode {
  return <th role="rowheader" scope="row" {...props} />
}

interface CellProps extends ComponentProps<'td'> {
  readonly label?: string
}

export function Cell({ label, ...props }: CellProps): ReactNode {
  return <td role="cell" data-label={label} {...props} />
}

export interface Column<Item> {
  readonly name: string
  readonly cell: (item: Item) => ReactNode
  readonly isNumber?: boolean
  /**
   * In cards, `hidden` omits the cell; `first` moves it to the top and omits its label. A table with
   * the other places has cards of two lines without labels.
   */
  readonly inCards?: 'hidden' | 'first' | LinePlace
  /** Order of the list when the header is clicked. */
  readonly order?: string
}

export interface Sorting {
  readonly order: string
  readonly isAscending: boolean
  readonly onSort: (order: string) => void
}

type LinePlace = 'top' | 'top-end' | 'bottom' | 'bottom-end'

interface DataTableProps<Item> {
  readonly label: string
  readonly columns: readonly Column<Item>[]
  readonly items: readonly Item[]
  readonly itemKey: (item: Item) => Key
  readonly sorting?: Sorting | undefined
}

export function DataTable<Item>({ label, columns, items, itemKey, sorting }: DataTableProps<Item>): ReactNode {
  const [first, ...rest] = columns
  return (
    <div className="table-scroll">
      <Table className={hasLines(columns) ? 'cards-when-narrow two-lines' : 'cards-when-narrow'} aria-label={label}>
        <TableHead>
          {columns.map(({ name, isNumber = false, order }) => (
            <ColumnName
              key={name}
              className={isNumber ? 'number' : undefined}
              aria-sort={
                order === undefined || order !== sorting?.order
                  ? undefined
                  : sorting.isAscending
                    ? 'ascending'
                    : 'descending'
              }
            >
              {order === undefined || sorting === undefined ? (
                name
              ) : (
                <button type="button" className="sort" onClick={() => sorting.onSort(order)}>
                  {name}
                </button>
              )}
            </ColumnName>
          ))}
        </TableHead>
        <TableBody>
          {items.map((item) => (
            <Row key={itemKey(item)}>
              <RowName className={first === undefined ? undefined : cellClass(first)}>{first?.cell(item)}</RowName>
              {rest.map((column) => (
                <Cell key={column.name} label={column.name} className={cellClass(column)}>
                  {column.cell(item)}
                </Cell>
              ))}
            </Row>
          ))}
        </TableBody>
      </Table>
    </div>
  )
}

const cardClasses = {
  hidden: 'wide-only',
  first: 'first-when-narrow',
  top: 'line-top',
  'top-end': 'line-top line-end',
  bottom: 'line-bottom',
  'bottom-end': 'line-bottom line-end',
} as const

function hasLines<Item>(columns: readonly Column<Item>[]): boolean {
  return columns.some(({ inCards }) => inCards === 'top' || inCards === 'top-end')
}

function cellClass<Item>({ isNumber = false, inCards }: Column<Item>): string | undefined {
  const names = [isNumber ? 'number' : '', inCards === undefined ? '' : cardClasses[inCards]]
  return names.filter((name) => name !== '').join(' ') || undefined
}
