import type { ReactNode } from 'react'
import { formatCount } from '../../../kit/formats.ts'
import { useList } from '../../queries.ts'
import { useSearchValue } from '../../../kit/router.ts'
import { contractNameOf, sayName } from '../../text.ts'
import { Link } from '../../../kit/link.tsx'
import { paths } from '../../paths.ts'
import { ItemCard } from '../item-card.tsx'
import { ListPanel } from '../list-panel.tsx'
import { Picture } from '../picture.tsx'

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
            <span className="card-name">{sayName(name)}</span>
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
