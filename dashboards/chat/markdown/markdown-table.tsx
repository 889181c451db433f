import { useRef } from 'react'
import type { ReactNode } from 'react'
import { CopyButton } from '../../kit/copy-button.tsx'
import { toTabSeparated } from '../../kit/spreadsheet.ts'

/** A table of an answer: it moves within its frame where it is wider than the page, and can be taken along. */
export function MarkdownTable({ children }: { readonly children: ReactNode }): ReactNode {
  const table = useRef<HTMLTableElement>(null)
  const read = (): string => {
    const [head = [], ...rows] = [...(table.current?.rows ?? [])].map((row) =>
      [...row.cells].map((cell) => cell.textContent.trim()),
    )
    return toTabSeparated({ columns: head.map((name) => ({ name, type: 'text', isNumber: false })), rows })
  }
  return (
    <div className="framed-table">
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Table">
        <table ref={table} className="table">
          {children}
        </table>
      </div>
      <span className="framed-copy">
        <CopyButton text={read} what="the table" />
      </span>
    </div>
  )
}
