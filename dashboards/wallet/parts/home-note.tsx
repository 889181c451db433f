import type { ReactNode } from 'react'
import { useSettings } from '../settings.ts'

/** Browsers give passkeys to the wallet's own address alone: whoever came by another is shown the way. */
export function HomeNote(): ReactNode {
  const { url, rp_id: rpId } = useSettings()
  const { hostname } = location
  if (hostname === rpId || hostname.endsWith(`.${rpId}`)) return null
  return (
    <p className="banner" role="alert">
      Passkeys do not work at this address. <a href={url}>Open the wallet at {new URL(url).host}</a>
    </p>
  )
}
