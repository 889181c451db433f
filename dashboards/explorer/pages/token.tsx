import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { FungibleToken } from '../gen/answers.ts'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Amount } from '../parts/amount.tsx'
import { Answer } from '../parts/answer.tsx'
import { Detail, DetailList, KeyNumber, KeyNumbers } from '../parts/detail-list.tsx'
import { AccountLink, BlockLink, ContractLink, Identity } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { OutsideLink } from '../parts/outside-link.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { Picture } from '../parts/picture.tsx'
import { TokenTransfers } from '../parts/token-transfers.tsx'
import { useAnswer, useList } from '../queries.ts'
import { contractNameOf, contractOf, formatAmount, formatDollars, sayName } from '../text.ts'

export function TokenPage({ values: { token = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/ft/{token}', { token })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle kind="Token" title={sayName(found?.name ?? contractNameOf(token))} aside={found?.is_verified === true && <Badge tone="good">Verified</Badge>}>
        {found !== undefined && found.logo !== null && <Picture source={found.logo} alt="" size={26} />} {sayName(found?.name ?? contractNameOf(token))}{' '}
        {typeof found?.symbol === 'string' && <span className="soft">{sayName(found.symbol)}</span>}
      </PageTitle>
      <Answer query={query} what="this token" rows={6}>
        {({ data: [answer] }) => answer !== undefined && <Parts token={answer} />}
      </Answer>
    </>
  )
}

function Parts({ token }: { readonly token: FungibleToken }): ReactNode {
  return (
    <>
      <KeyNumbers>
        <KeyNumber name="Holders">{formatNumber(token.holder_count)}</KeyNumber>
        <KeyNumber name="Transfers" note={`${formatNumber(token.recent_transfer_count)} lately`}>
          {formatNumber(token.transfer_count)}
        </KeyNumber>
        <KeyNumber name="Supply" note={`${formatAmount(token.minted)} minted, ${formatAmount(token.burned)} burned`}>
          <Amount amount={token.total_supply} />
        </KeyNumber>
        {token.current_price !== null && (
          <KeyNumber
            name="Price"
            note={token.price_change_24h === null ? undefined : `${token.price_change_24h.toFixed(1)}% in a day`}
          >
            {formatDollars(token.current_price)}
          </KeyNumber>
        )}
        <Volume token={token.id} />
      </KeyNumbers>
      <AddressTabs
        label="Parts of the token"
        tabs={[
          { name: 'transfers', label: 'Transfers', render: () => <TokenTransfers token={token.id} /> },
          { name: 'holders', label: 'Holders', render: () => <Holders token={token.id} /> },
          { name: 'price', label: 'Price', render: () => <PriceHistory asset={token.market_symbol ?? token.symbol} /> },
          { name: 'about', label: 'About', render: () => <About token={token} /> },
        ]}
      />
    </>
  )
}

function Volume({ token }: { readonly token: string }): ReactNode {
  const { data } = useAnswer('/insights/token-volume', { hours: 24, limit: 50 })
  const volume = data?.data.find((each) => contractOf(each.token) === contractOf(token))
  if (volume === undefined) return null
  return (
    <KeyNumber name="Volume of a day" note={volume.usd_volume === null ? undefined : formatDollars(volume.usd_volume)}>
      <Amount amount={volume.total_amount} />
    </KeyNumber>
  )
}

const holderColumns = [{ name: 'Account' }, { name: 'Balance', isNumber: true }, { name: 'Share', isNumber: true }]

function Holders({ token }: { readonly token: string }): ReactNode {
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
            <Amount amount={holding.balance} />
            {!holding.is_complete && <span className="soft"> or more</span>}
          </Cell>
          <Cell label="Share" className="number">
            {holding.percentage === null ? '–' : `${holding.percentage.toFixed(2)}%`}
          </Cell>
        </Row>
      )}
    />
  )
}

function PriceHistory({ asset }: { readonly asset: string | null }): ReactNode {
  const query = useAnswer('/status/price/history', { asset: asset ?? '', limit: 100 }, { isOn: asset !== null })
  if (asset === null) return <p className="panel panel-text soft">Nobody tells a price of this token.</p>
  return (
    <section className="panel chart-panel">
      <Answer query={query} what="the prices">
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft">No price was told so far.</p>
          ) : (
            <TimeChart
              label={`Price of ${asset}`}
              points={data
                .map(({ price, as_of: date }) => ({ date, value: Number(price), text: formatDollars(price) }))
                .toSorted((a, b) => (a.date < b.date ? -1 : 1))}
            />
          )
        }
      </Answer>
    </section>
  )
}

function About({ token }: { readonly token: FungibleToken }): ReactNode {
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
