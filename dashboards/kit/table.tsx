import type { ComponentProps, ReactNode } from 'react'

/**
 * The parts of a table whose rows are shown as cards on a narrow screen. Their roles are written out, because what is
 * no longer laid out as a table would no longer be read as one.
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

/** The heading of a column. */
export function ColumnName(props: ComponentProps<'th'>): ReactNode {
  return <th role="columnheader" scope="col" {...props} />
}

/** The cell that names its row. */
export function RowName(props: ComponentProps<'th'>): ReactNode {
  return <th role="rowheader" scope="row" {...props} />
}

export interface CellProps extends ComponentProps<'td'> {
  /** The name of the column, shown where there are no columns. */
  readonly label?: string
}

export function Cell({ label, ...props }: CellProps): ReactNode {
  return <td role="cell" data-label={label} {...props} />
}
