import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import {
  Amount,
  TokenName,
  AccountLink,
  BlockLink,
  ContractLink,
  Identity,
  OutsideLink,
  Picture,
  Share,
} from '../parts/values.tsx'
import { ListFilter, ListPanel, Answer } from '../parts/lists.tsx'
import { PageTitle, AddressTabs, Detail, DetailList, KeyNumber, KeyNumbers } from '../parts/page.tsx'
import { useList, useAnswer } from '../api.ts'
import { useSearchValue } from '../../kit/router.tsx'
import { formatDollars, contractNameOf, initialOf, sanitizeName, contractOf, cutAmount, formatAmount } from '../text.ts'
import { EmptyState } from '../../kit/state.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { FungibleToken } from '../answers.gen.ts'
import type { PageProps } from '../pages.ts'
import { TokenVolume, TokenTransfers } from '../parts/transfers.tsx'

const tokenColumns = [
  { name: 'Token' },
  { name: 'Price', isNumber: true },
  { name: 'Holders', isNumber: true },
  { name: 'Transfers', isNumber: true },
  { name: 'Supply', isNumber: true },
]

export function TokensPage(): ReactNode {
  const [search] = useSearchValue('search')
  const list = useList('/flow/ft', { limit: 25, search })
  return (
    <>
      <PageTitle title="Tokens" aside={<ListFilter label="Name or symbol" />} />
      <ListPanel
        list={list}
        what="tokens"
        columns={tokenColumns}
        whenEmpty={
          search === '' ? 'Tokens show up with their first transfer.' : 'No token is called so. Try less of the name.'
        }
        renderRow={(token) => (
          <Row key={token.id}>
            <RowName>
              <TokenName id={token.id} token={token}>
                {token.is_verified && <Badge tone="good">Verified</Badge>}
              </TokenName>
            </RowName>
            <Cell label="Price" className="number">
              {token.current_price === null ? <span className="soft">–</span> : formatDollars(token.current_price)}
            </Cell>
            <Cell label="Holders" className="number">
              {formatNumber(token.holder_count)}
            </Cell>
            <Cell label="Transfers" className="number">
              {formatNumber(token.transfer_count)}
            </Cell>
            <Cell label="Supply" className="number">
              <Amount amount={token.total_supply} decimals={2} />
            </Cell>
          </Row>
        )}
      />
    </>
  )
}

export function TokenPage({ values: { token: id = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/ft/{token}', { token: id })
  const found = query.data?.data[0]
  const name = sanitizeName(found?.name ?? contractNameOf(id))
  return (
    <>
      <PageTitle kind="Token" title={name} aside={found?.is_verified === true && <Badge tone="good">Verified</Badge>}>
        {found !== undefined && (
          <Picture source={found.logo} alt="" size={28} of={found.id} letter={initialOf(found.symbol ?? found.name)} />
        )}
        {` ${name} `}
        {typeof found?.symbol === 'string' && <span className="soft">{sanitizeName(found.symbol)}</span>}
      </PageTitle>
      <Answer query={query} what="this token" rows={6}>
        {({ data: [token] }) =>
          token !== undefined && (
            <>
              <TokenNumbers token={token} />
              <AddressTabs
                label="Parts of the token"
                tabs={[
                  { name: 'transfers', label: 'Transfers', render: () => <TokenTransfers token={token.id} /> },
                  { name: 'holders', label: 'Holders', render: () => <TokenHolders token={token.id} /> },
                  { name: 'volume', label: 'Volume', render: () => <TokenVolume token={token} /> },
                  {
                    name: 'price',
                    label: 'Price',
                    render: () => <PriceHistory asset={token.market_symbol ?? token.symbol} />,
                  },
                  { name: 'about', label: 'About', render: () => <TokenAbout token={token} /> },
                ]}
              />
            </>
          )
        }
      </Answer>
    </>
  )
}

function TokenAbout({ token }: { readonly token: FungibleToken }): ReactNode {
  return (
    <section className="panel" aria-label="About">
      <DetailList>
        {token.description !== null && <Detail name="Description">{token.description}</Detail>}
        <Detail name="Type">
          <Identity id={token.id} what="type" isWhole hasCopy />
        </Detail>
        <Detail name="Contract">
          <ContractLink identifier={contractOf(token.id)} /> of <AccountLink address={token.address} />
        </Detail>
        <Detail name="Decimals">{token.decimals}</Detail>
        {token.evm_address !== null && (
          <Detail name="In the EVM">
            <AccountLink address={token.evm_address} isWhole hasCopy />
          </Detail>
        )}
        {token.first_height !== null && (
          <Detail name="First moved in block">
            <BlockLink height={token.first_height} />
          </Detail>
        )}
        {token.external_url !== null && (
          <Detail name="Website">
            <OutsideLink to={token.external_url} />
          </Detail>
        )}
        {token.vault_path !== null && <Detail name="Vault">{token.vault_path}</Detail>}
      </DetailList>
    </section>
  )
}

/** @param props.asset the name of the token at the markets; null where it has none */
function PriceHistory({ asset }: { readonly asset: string | null }): ReactNode {
  const query = useAnswer('/status/price/history', { asset: asset ?? '', limit: 100 }, { isOn: asset !== null })
  const isTold = asset !== null && (query.data === undefined || query.data.data.length > 0)
  if (!isTold) {
    return (
      <section className="panel" aria-label="Price">
        <EmptyState title="No price is known">
          Prices are asked of a market now and then; of this token it has told none.
        </EmptyState>
      </section>
    )
  }
  return (
    <section className="panel chart-panel" aria-label="Price">
      <Answer query={query} what="the prices">
        {({ data }) => (
          <TimeChart
            label={`Price of ${asset}`}
            points={data
              .map(({ price, as_of: time }) => ({
                date: `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`,
                value: Number(price),
                text: formatDollars(price),
              }))
              .toSorted((a, b) => (a.date < b.date ? -1 : 1))}
          />
        )}
      </Answer>
    </section>
  )
}

const holderColumns = [
  { name: 'Account' },
  { name: 'Balance', isNumber: true },
  { name: 'Part of the supply', isNumber: true },
]

function TokenHolders({ token }: { readonly token: string }): ReactNode {
  const list = useList('/flow/ft/{token}/holding', { token, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="holders"
      columns={holderColumns}
      whenEmpty="Nobody holds this token."
      renderRow={(holding) => (
        <Row key={holding.address}>
          <RowName>
            <AccountLink address={holding.address} />
          </RowName>
          <Cell label="Balance" className="number">
            <span>
              <Amount amount={holding.balance} />
              {!holding.is_complete && <span className="soft"> or more</span>}
            </span>
          </Cell>
          <Cell label="Part of the supply" className="number">
            <Share part={holding.percentage} />
          </Cell>
        </Row>
      )}
    />
  )
}

const decimals = 2

function TokenNumbers({ token }: { readonly token: FungibleToken }): ReactNode {
  const { current_price: price, price_change_24h: change } = token
  return (
    <KeyNumbers>
      {price !== null && (
        <KeyNumber name="Price" note={change === null ? undefined : <Change percent={change} />}>
          {formatDollars(price)}
        </KeyNumber>
      )}
      <KeyNumber name="Holders">{formatNumber(token.holder_count)}</KeyNumber>
      <KeyNumber name="Transfers" note={`${formatNumber(token.recent_transfer_count)} in the last 24 hours`}>
        {formatNumber(token.transfer_count)}
      </KeyNumber>
      <KeyNumber
        name="Volume in 24 hours"
        note={
          price === null
            ? undefined
            : `${formatDollars(String(Number(token.recent_volume) * Number(price)))} at the present price`
        }
      >
        <Amount amount={token.recent_volume} decimals={decimals} />
      </KeyNumber>
      <KeyNumber
        name="Supply"
        note={
          `${formatAmount(cutAmount(token.minted, decimals))} minted, ` +
          `${formatAmount(cutAmount(token.burned, decimals))} burned`
        }
      >
        <Amount amount={token.total_supply} decimals={decimals} />
      </KeyNumber>
    </KeyNumbers>
  )
}

function Change({ percent }: { readonly percent: number }): ReactNode {
  return (
    <span
      className={percent < 0 ? 'fallen' : 'risen'}
    >{`${percent > 0 ? '+' : ''}${percent.toFixed(2)}% in a day`}</span>
  )
}
