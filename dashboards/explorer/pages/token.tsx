import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Answer } from '../parts/answer.tsx'
import { TokenVolume } from '../parts/daily-moves.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { Picture } from '../parts/picture.tsx'
import { TokenTransfers } from '../parts/token-transfers.tsx'
import { TokenAbout } from '../parts/token/about.tsx'
import { TokenHolders } from '../parts/token/holders.tsx'
import { TokenNumbers } from '../parts/token/numbers.tsx'
import { PriceHistory } from '../parts/token/price-history.tsx'
import { useAnswer } from '../queries.ts'
import { contractNameOf, initialOf, sayName } from '../text.ts'

export function TokenPage({ values: { token: id = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/ft/{token}', { token: id })
  const found = query.data?.data[0]
  const name = sayName(found?.name ?? contractNameOf(id))
  return (
    <>
      <PageTitle kind="Token" title={name} aside={found?.is_verified === true && <Badge tone="good">Verified</Badge>}>
        {found !== undefined && (
          <Picture source={found.logo} alt="" size={28} of={found.id} letter={initialOf(found.symbol ?? found.name)} />
        )}
        {` ${name} `}
        {typeof found?.symbol === 'string' && <span className="soft">{sayName(found.symbol)}</span>}
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
