import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Icon } from '../kit/icon.tsx'
import type { ResultTable } from './result-table.ts'
import { toCsv, toTabSeparated } from './spreadsheet.ts'

/** The rows as they are shown, to take along. */
export function ResultExports({ table }: { readonly table: ResultTable }): ReactNode {
  return (
    <div className="button-row">
      <Button isSmall onClick={() => download('flowfarm.csv', toCsv(table))}>
        <Icon name="leave" size={14} /> CSV
      </Button>
      <CopyButton text={toTabSeparated(table)} what="the table" />
    </div>
  )
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
