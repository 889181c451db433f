import type { ReactNode } from 'react'
import { NothingHere } from '../../../kit/state.tsx'
import { formatNumber } from '../../../kit/formats.ts'
import { Link } from '../../../kit/link.tsx'
import { paths } from '../../paths.ts'
import { useAnswer, useList } from '../../queries.ts'
import { humanize, shorten } from '../../text.ts'
import { Amount } from '../amount.tsx'
import { Answer } from '../answer.tsx'
import { Detail, DetailList } from '../detail-list.tsx'
import { StakingEvents } from '../staking-events.tsx'

/** What an account has staked, as an operator of nodes and as a delegator, and what became of it. */
export function AccountStaking({ address }: { readonly address: string }): ReactNode {
  const query = useAnswer('/staking/account/{address}', { address })
  const list = useList('/staking/account/{address}/event', { address, limit: 20 })
  return (
    <>
      <section className="panel" aria-label="Stakes">
        <Answer query={query} what="the stakes of this account">
          {({ data: [stake] }) =>
            stake === undefined || stake.nodes.length + stake.delegators.length === 0 ? (
              <NothingHere title="Nothing staked">This account runs no node and has delegated to none.</NothingHere>
            ) : (
              <DetailList>
                {stake.nodes.map((node) => (
                  <Detail key={node.node_id} name={humanize(`${node.role_name ?? 'unknown'} node`)}>
                    <Link to={paths.node(node.node_id)}>{shorten(node.node_id)}</Link>:{' '}
                    <Amount amount={node.tokens_staked} unit="FLOW staked" />,{' '}
                    <Amount amount={node.tokens_rewarded} unit="rewarded" />
                  </Detail>
                ))}
                {stake.delegators.map((delegator) => (
                  <Detail
                    key={`${delegator.node_id} ${delegator.delegator_id}`}
                    name={`Delegator ${formatNumber(delegator.delegator_id)}`}
                  >
                    of <Link to={paths.node(delegator.node_id)}>{shorten(delegator.node_id)}</Link>:{' '}
                    <Amount amount={delegator.tokens_staked} unit="FLOW staked" />,{' '}
                    <Amount amount={delegator.tokens_rewarded} unit="rewarded" />
                  </Detail>
                ))}
              </DetailList>
            )
          }
        </Answer>
      </section>
      <StakingEvents list={list} whenEmpty="Nothing was staked or taken back by this account." />
    </>
  )
}
