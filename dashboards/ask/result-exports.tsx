import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Icon } from '../kit/icon.tsx'
import { download } from '../kit/download.ts'
import type { ResultTable } from '../kit/result-table.ts'
import { toCsv, toTabSeparated } from '../kit/spreadsheet.ts'

/** The rows as they are shown, to take along. */
export function ResultExports({ table }: { readonly table: ResultTable }): ReactNode {
  return (
    <div className="button-row">
      <Button isSmall onClick={() => download('flowfarm.csv', 'text/csv;charset=utf-8', toCsv(table))}>
        <Icon name="leave" size={14} /> CSV
      </Button>
      <CopyButton text={() => toTabSeparated(table)} what="the table" />
    </div>
  )
}
