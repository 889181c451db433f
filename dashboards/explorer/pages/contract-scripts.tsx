import type { ReactNode } from 'react'
import { formatCount, formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import type { ContractScript } from '../answers.gen.ts'
import { itemsOf, useList } from '../api.ts'
import { TableList } from '../parts/lists.tsx'
import { BlockLink } from '../parts/values.tsx'
import { humanize, paths, sanitizeName, shorten } from '../text.ts'

const columns: readonly Column<ContractScript>[] = [
  {
    name: 'Script',
    cell: ({ script_hash: hash, label, category }) => (
      <span>
        <Link to={paths.script(hash)}>{sanitizeName(label, shorten(hash))}</Link>
        {category !== '' && <span className="note">{humanize(category)}</span>}
      </span>
    ),
  },
  {
    name: 'Start',
    cell: ({ script_preview: preview }) => <code className="preview">{firstLines(preview)}</code>,
    inCards: 'hidden',
  },
  { name: 'Transactions', cell: ({ tx_count: count }) => formatNumber(count), isNumber: true },
  { name: 'Last used in block', cell: ({ last_seen_height: height }) => <BlockLink height={height} />, isNumber: true },
]

const maxPreview = 90

function firstLines(preview: string): string {
  const body = preview.replaceAll(/import\s+\S+(\s+from\s+\S+)?/g, '').replaceAll(/\/\/.*$/gm, '')
  return body.replaceAll(/\s+/g, ' ').trim().slice(0, maxPreview)
}

export function ContractScripts({ identifier }: { readonly identifier: string }): ReactNode {
  const list = useList('/flow/contract/{identifier}/scripts', { identifier, limit: 100 })
  const [first] = itemsOf(list)
  return (
    <>
      {first !== undefined && (
        <p className="soft">
          Counted in the newest {formatCount(first.counted_blocks, 'block')} with this contract, since block{' '}
          {formatNumber(first.counted_from_height)}.
        </p>
      )}
      <TableList
        list={list}
        what="scripts"
        columns={columns}
        itemKey={({ script_hash: hash }) => hash}
        emptyText="Scripts of transactions that import this contract will appear here."
      />
    </>
  )
}
