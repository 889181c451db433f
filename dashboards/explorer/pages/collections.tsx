import type { ReactNode } from 'react'
import { formatCount } from '../../kit/formats.ts'
import { Link } from '../../kit/link.tsx'
import { ListFilter } from '../parts/list-filter.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { Picture } from '../parts/picture.tsx'
import { paths } from '../paths.ts'
import { useList } from '../queries.ts'
import { useSearchValue } from '../../kit/router.ts'
import { sayName } from '../text.ts'

export function CollectionsPage(): ReactNode {
  const [search] = useSearchValue('search')
  const list = useList('/flow/nft', { limit: 24, search })
  return (
    <>
      <PageTitle title="NFT collections" aside={<ListFilter label="Name of a collection" />} />
      <ListPanel
        list={list}
        what="collections"
        whenEmpty={
          search === '' ? 'Collections show up with the first move of an item.' : 'No collection is called so.'
        }
        renderRow={({
          id,
          display_name: name,
          square_image: image,
          number_of_tokens: items,
          holder_count: holders,
        }) => (
          <li key={id} className="card">
            <Link to={paths.collection(id)}>
              <Picture source={image} alt="" size="fill" of={id} />
              <span className="card-name">{sayName(name)}</span>
              <span className="soft">
                {formatCount(items, 'item')}, {formatCount(holders, 'holder')}
              </span>
            </Link>
          </li>
        )}
      />
    </>
  )
}
