import type { ReactNode } from 'react'
import { useList } from '../../queries.ts'
import { ItemCard } from '../item-card.tsx'
import { ListPanel } from '../list-panel.tsx'

export function CollectionItems({ type }: { readonly type: string }): ReactNode {
  const list = useList('/flow/nft/{nft_type}/item', { nft_type: type, limit: 24 })
  return (
    <ListPanel
      list={list}
      what="items"
      whenEmpty="No item of this collection was seen."
      renderRow={(item) => <ItemCard key={item.nft_id} item={item} />}
    />
  )
}
