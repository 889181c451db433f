import type { ReactNode } from 'react'
import type { NftItem } from '../gen/answers.ts'
import { Link } from '../../kit/link.tsx'
import { paths } from '../paths.ts'
import { Picture } from './picture.tsx'
import { sayName } from '../text.ts'

/** An NFT as a picture with its name. */
export function ItemCard({ item }: { readonly item: NftItem }): ReactNode {
  const { nft_type: type, nft_id: id, name, thumbnail, is_burned: isBurned } = item
  return (
    <li className="card">
      <Link to={paths.item(type, id)}>
        <Picture source={thumbnail} alt="" size="fill" of={`${type} ${id}`} />
        <span className="card-name">{sayName(name, `#${id}`)}</span>
        <span className="soft">
          #{id}
          {isBurned && ', burned'}
        </span>
      </Link>
    </li>
  )
}
