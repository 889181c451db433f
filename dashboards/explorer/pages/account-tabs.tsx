import type { ReactNode } from 'react'
import { Age } from '../../kit/time.tsx'
import { Badge } from '../../kit/controls.tsx'
import { Cell, Row, RowName, ColumnName, Table, TableBody, TableHead } from '../../kit/table.tsx'
import { Link, useSearchValue } from '../../kit/router.tsx'
import { paths, formatAmount, humanize, sanitizeName, symbolOf, contractNameOf, shorten, formatBytes } from '../text.ts'
import { useList, useAnswer } from '../api.ts'
import { AccountLink, TransactionLink, Picture, Amount, Identity, BlockLink, ValueTree } from '../parts/values.tsx'
import { ListPanel, Answer } from '../parts/lists.tsx'
import { formatCount, formatNumber } from '../../kit/formats.ts'
import { ItemCard } from '../parts/transfers.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { Detail, DetailList } from '../parts/page.tsx'
import { StakingEvents } from '../parts/staking.tsx'
import type { AccountDetail } from '../answers.gen.ts'
import { plainValue } from '../cadence-value.ts'

const columns = [
  { name: 'Transaction' },
  { name: 'Kind' },
  { name: 'What' },
  { name: 'With' },
  { name: 'Age', isNumber: true },
]

/** What came to an account and what left it, tokens and NFTs. */
export function AccountTransfers({ address }: { readonly address: string }): ReactNode {
  const list = useList('/flow/account/{address}/transfer', { address, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="transfers"
      columns={columns}
      whenEmpty="Nothing came to this account and nothing left it."
      renderRow={(transfer) => {
        const isIn = transfer.direction === 'deposit'
        const other = isIn ? transfer.sender : transfer.receiver
        return (
          <Row key={`${transfer.transaction_hash} ${transfer.event_index} ${transfer.leg} ${transfer.direction}`}>
            <RowName>
              <TransactionLink id={transfer.transaction_hash} height={transfer.block_height} />
            </RowName>
            <Cell label="Kind">
              <Badge tone={isIn ? 'good' : 'neutral'}>{isIn ? 'In' : 'Out'}</Badge>{' '}
              {transfer.transfer_type !== 'transfer' && (
                <span className="soft">{humanize(transfer.transfer_type)}</span>
              )}
            </Cell>
            <Cell label="What">
              {transfer.type === 'ft' ? (
                <Link to={paths.token(transfer.token.token)}>
                  {formatAmount(transfer.amount)} {symbolOf(transfer.token.token, transfer.token.symbol)}
                </Link>
              ) : transfer.nft_type === null ? (
                sanitizeName(transfer.name)
              ) : (
                <Link to={paths.item(transfer.nft_type, transfer.nft_id)}>{sanitizeName(transfer.name)}</Link>
              )}
            </Cell>
            <Cell label="With">
              {other === null ? <span className="soft">–</span> : <AccountLink address={other} />}
            </Cell>
            <Cell label="Age" className="number">
              <Age since={transfer.timestamp} />
            </Cell>
          </Row>
        )
      }}
    />
  )
}

/** The collections that an account has items of, and of a chosen one the items. */
export function AccountNfts({ address }: { readonly address: string }): ReactNode {
  const [type, choose] = useSearchValue('collection')
  const list = useList('/flow/account/{address}/nft', { address, limit: 24 })
  if (type !== '') return <Items address={address} type={type} onBack={() => choose('')} />
  return (
    <ListPanel
      list={list}
      what="collections"
      whenEmpty="This account holds no NFTs."
      renderRow={({ id, display_name: name, number_of_tokens: count, square_image: image }) => (
        <li key={id} className="card">
          <button type="button" className="card-button" onClick={() => choose(id)}>
            <Picture source={image} alt="" size="fill" of={id} />
            <span className="card-name">{sanitizeName(name)}</span>
            <span className="soft">{formatCount(count, 'item')}</span>
          </button>
        </li>
      )}
    />
  )
}

interface ItemsProps {
  readonly address: string
  readonly type: string
  readonly onBack: () => void
}

function Items({ address, type, onBack }: ItemsProps): ReactNode {
  const list = useList('/flow/account/{address}/nft/{nft_type}', { address, nft_type: type, limit: 24 })
  return (
    <ListPanel
      list={list}
      what="items"
      whenEmpty="This account holds none of this collection any more."
      header={
        <header>
          <button type="button" className="button small" onClick={onBack}>
            All collections
          </button>
          <h2>
            <Link to={paths.collection(type)}>{contractNameOf(type)}</Link>
          </h2>
        </header>
      }
      renderRow={(item) => <ItemCard key={item.nft_id} item={item} />}
    />
  )
}

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
              <EmptyState title="Nothing staked">This account runs no node and has delegated to none.</EmptyState>
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

/** The keys that may sign for an account; a thousand of weight is enough. */
export function AccountKeys({ keys }: { readonly keys: AccountDetail['keys'] }): ReactNode {
  return (
    <section className="panel list" aria-label="Keys">
      {keys.length === 0 ? (
        <EmptyState title="No keys">Nobody can sign for this account by a key.</EmptyState>
      ) : (
        <Table className="cards-when-narrow" aria-label="Keys">
          <TableHead>
            <ColumnName>Index</ColumnName>
            <ColumnName>Public key</ColumnName>
            <ColumnName>Algorithms</ColumnName>
            <ColumnName className="number">Weight</ColumnName>
            <ColumnName>State</ColumnName>
          </TableHead>
          <TableBody>
            {keys.map(({ index, key, signatureAlgorithm, hashAlgorithm, weight, revoked }) => (
              <Row key={index}>
                <RowName>{index}</RowName>
                <Cell label="Public key">
                  {key === null ? (
                    <span className="soft">not known</span>
                  ) : (
                    <Identity id={key} to={paths.publicKey(key)} what="public key" hasCopy />
                  )}
                </Cell>
                <Cell label="Algorithms">
                  <span>
                    {signatureAlgorithm ?? '–'} <span className="soft">with {hashAlgorithm ?? 'an unknown hash'}</span>
                  </span>
                </Cell>
                <Cell label="Weight" className="number">
                  {weight ?? '–'}
                </Cell>
                <Cell label="State">
                  {revoked ? <Badge tone="bad">Revoked</Badge> : <Badge tone="good">Valid</Badge>}
                </Cell>
              </Row>
            ))}
          </TableBody>
        </Table>
      )}
    </section>
  )
}

/** What lies in an account's storage, as the chain has it now. */
export function AccountStorage({ address }: { readonly address: string }): ReactNode {
  const query = useAnswer('/flow/account/{address}/storage', { address })
  const [path, choose] = useSearchValue('path')
  return (
    <section className="panel" aria-label="Storage">
      <Answer query={query} what="the storage of this account">
        {(answer) => {
          const facts = plainValue(answer) as Readonly<Record<string, unknown>>
          return (
            <DetailList>
              {Object.entries(facts)
                .filter(([, value]) => value !== false)
                .map(([name, value]) => (
                  <Detail key={name} name={nameOf(name)}>
                    {Array.isArray(value) ? (
                      <Paths paths={value.map(String)} chosen={path} onChoose={choose} />
                    ) : ['used', 'capacity'].includes(name) ? (
                      formatBytes(Number(value))
                    ) : name === 'height' ? (
                      <BlockLink height={Number(value)} />
                    ) : name === 'truncated' ? (
                      'There are more paths than are listed here.'
                    ) : (
                      <ValueTree value={value} />
                    )}
                  </Detail>
                ))}
            </DetailList>
          )
        }}
      </Answer>
      {path !== '' && <Item address={address} path={path} />}
    </section>
  )
}

/** What needs other words than its own. */
const names: Readonly<Record<string, string>> = { height: 'As of block', truncated: 'Not all' }

function nameOf(name: string): string {
  const own = names[name]
  if (own !== undefined) return own
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

interface PathsProps {
  readonly paths: readonly string[]
  readonly chosen: string
  readonly onChoose: (path: string) => void
}

function Paths({ paths, chosen, onChoose }: PathsProps): ReactNode {
  if (paths.length === 0) return <span className="soft">none</span>
  return (
    <ul className="chips">
      {paths.map((path) => (
        <li key={path}>
          {path.startsWith('/storage/') ? (
            <button
              type="button"
              className="button small"
              aria-pressed={path === chosen}
              onClick={() => onChoose(path)}
            >
              {path}
            </button>
          ) : (
            <code>{path}</code>
          )}
        </li>
      ))}
    </ul>
  )
}

function Item({ address, path }: { readonly address: string; readonly path: string }): ReactNode {
  const query = useAnswer('/flow/account/{address}/storage/item', { address, path: path.replace('/storage/', '') })
  return (
    <div className="panel-text">
      <h3>{path}</h3>
      <Answer query={query} what={path} rows={1}>
        {(item) => <ValueTree value={plainValue(item)} />}
      </Answer>
    </div>
  )
}
