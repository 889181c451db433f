import type { ReactNode } from 'react'

/** Names and values of one thing. */
export function DetailList({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className="details">{children}</dl>
}

export function Detail({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A few numbers that tell most. */
export function KeyNumbers({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className="panel key-numbers">{children}</dl>
}

export interface KeyNumberProps {
  readonly name: string
  readonly note?: ReactNode
  readonly children: ReactNode
}

export function KeyNumber({ name, note, children }: KeyNumberProps): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className="value">{children}</span>
        {note !== undefined && <span className="note">{note}</span>}
      </dd>
    </div>
  )
}
