import type { ReactNode } from 'react'
import { Button } from '../../../kit/button.tsx'
import { formatNumber } from '../../../kit/formats.ts'
import { Loading, NothingHere } from '../../../kit/state.tsx'
import type { ContractDependencies } from '../../gen/answers.ts'
import { itemsOf, useList } from '../../queries.ts'
import { Trouble } from '../answer.tsx'
import { ContractLink } from '../identity.tsx'
import { DependencyGraph } from './graph.tsx'

/** What a contract uses and what uses it, as a picture and as lists. */
export function Dependencies({ identifier }: { readonly identifier: string }): ReactNode {
  const list = useList('/flow/contract/{identifier}/dependencies', { identifier, depth: 2 })
  // Each page tells the same, but for what uses the contract: that is what the pages are of.
  const pages = itemsOf(list)
  const [found] = pages
  const dependents = pages.flatMap((page) => page.dependents)
  return (
    <section className="panel" aria-label="Dependencies">
      {list.isPending && <Loading label="Loading the dependencies" rows={6} />}
      {list.isError && <Trouble error={list.error} what="the dependencies" onRetry={() => void list.refetch()} />}
      {found !== undefined && found.graph.nodes.length < 2 && (
        <NothingHere title="It stands alone">It uses no other contract, and no other uses it.</NothingHere>
      )}
      {found !== undefined && found.graph.nodes.length > 1 && (
        <>
          <DependencyGraph graph={found.graph} />
          <References title={`Uses ${formatNumber(found.imports.length)}`} contracts={found.imports} />
          <References title={`Is used by ${formatNumber(found.dependent_count)}`} contracts={dependents}>
            {list.hasNextPage && (
              <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {list.isFetchingNextPage ? 'Loading…' : 'More contracts'}
              </Button>
            )}
          </References>
        </>
      )}
    </section>
  )
}

interface ReferencesProps {
  readonly title: string
  readonly contracts: ContractDependencies['imports']
  readonly children?: ReactNode
}

function References({ title, contracts, children }: ReferencesProps): ReactNode {
  return (
    <div className="panel-text">
      <h2>{title}</h2>
      {contracts.length === 0 ? (
        <p className="soft">none</p>
      ) : (
        <ul className="chips">
          {contracts.map(({ identifier }) => (
            <li key={identifier}>
              <ContractLink identifier={identifier} />
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  )
}
