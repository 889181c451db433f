import type { ReactNode } from 'react'
import { NothingHere } from '../../kit/state.tsx'
import type { NetworkSettings } from '../contract.ts'
import { useExplorer } from '../own.ts'

interface Collection {
  readonly nft_type: string
  readonly display_name?: string | null
  readonly name?: string | null
  readonly contract_name?: string | null
  readonly number_of_tokens: number
}

/** The NFTs of an account by collection, as the explorer has them. */
export function Collections({
  settings,
  address,
  isOnlyOne,
}: {
  readonly settings: NetworkSettings
  readonly address: string
  readonly isOnlyOne: boolean
}): ReactNode {
  const { data, error } = useExplorer<Collection>(`/flow/account/${address}/nft?limit=100`)
  if (error !== null || data === undefined) return null
  return (
    <section className="panel" aria-label={isOnlyOne ? 'NFTs' : `NFTs of ${address}`}>
      <header>
        <h2>NFTs</h2>
        {!isOnlyOne && <code className="soft">{address}</code>}
      </header>
      {data.length === 0 && <NothingHere title="No NFTs here yet" />}
      <ul className="rows">
        {data.map(({ nft_type: type, display_name: shown, name, contract_name: contract, number_of_tokens: count }) => (
          <li key={type}>
            {settings.explorer_url === null ? (
              <span>{shown ?? name ?? contract ?? type}</span>
            ) : (
              <a href={`${settings.explorer_url}/nft/${type}`} target="_blank" rel="noreferrer">
                {shown ?? name ?? contract ?? type}
              </a>
            )}
            <span className="number">{count}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
