import type { ReactNode } from 'react'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import type { EvmBlock } from '../answers.gen.ts'
import { useApi, useList } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { EvmTransactionList } from '../parts/evm.tsx'
import { ItemResult } from '../parts/lists.tsx'
import { Detail, DetailPanel, PageTitle } from '../parts/page.tsx'
import { Amount, BlockLink, Identity, Moment } from '../parts/values.tsx'
import { formatUnits, paths } from '../text.ts'

export function EvmBlockPage({ values: { number = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/evm/block/{number}', { number })
  const found = query.data?.data[0]
  const wanted = Number(number)
  return (
    <>
      <PageTitle
        kind="EVM block"
        title={Number.isSafeInteger(wanted) ? formatNumber(wanted) : number}
        aside={
          found !== undefined && (
            <nav className="button-row" aria-label="Adjacent blocks">
              {found.number > 0 && (
                <Link className="button" to={paths.evmBlock(found.number - 1)}>
                  Previous
                </Link>
              )}
              <Link className="button" to={paths.evmBlock(found.number + 1)}>
                Next
              </Link>
            </nav>
          )
        }
      />
      <ItemResult query={query} what="this EVM block" rows={6}>
        {(block) => (
          <>
            <Details block={block} />
            <Transactions number={block.number} />
          </>
        )}
      </ItemResult>
    </>
  )
}

function Details({ block }: { readonly block: EvmBlock }): ReactNode {
  const { number, hash, parent_hash: parent, receipt_root: receipts, transactions_root: transactions } = block
  return (
    <DetailPanel label="Summary">
      <Detail name="Hash">
        <Identity id={hash} what="hash" isWhole hasCopy />
      </Detail>
      <Detail name="Flow block">
        <BlockLink height={block.block_height} />
      </Detail>
      <Detail name="Time">
        <Moment at={block.timestamp} />
      </Detail>
      <Detail name="Transactions">{formatNumber(block.transaction_count)}</Detail>
      {block.gas_used !== null && <Detail name="Gas used">{formatNumber(Number(block.gas_used))}</Detail>}
      <Detail name="FLOW in the EVM">
        <Amount amount={formatUnits(block.total_supply, 18).replaceAll(',', '')} unit="FLOW" decimals={2} />
      </Detail>
      <Detail name="Parent">
        <Identity id={parent} what="Parent" isWhole {...(number > 0 ? { to: paths.evmBlock(number - 1) } : {})} />
      </Detail>
      {transactions !== null && (
        <Detail name="Transactions root">
          <Identity id={transactions} what="transactions root" isWhole />
        </Detail>
      )}
      {receipts !== null && (
        <Detail name="Receipts root">
          <Identity id={receipts} what="receipts root" isWhole />
        </Detail>
      )}
    </DetailPanel>
  )
}

function Transactions({ number }: { readonly number: number }): ReactNode {
  const list = useList('/flow/evm/block/{number}/transactions', { number, limit: 25 })
  return <EvmTransactionList list={list} emptyText="This block has no transactions." />
}
