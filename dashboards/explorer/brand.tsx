import type { ReactNode } from 'react'
import { Link } from '../kit/link.tsx'

/** The sign of flowfarm: rows of a field, the last one still being sown. */
export function Brand(): ReactNode {
  return (
    <Link to="/" className="brand" aria-label="flowfarm, start">
      <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
        <rect x="1" y="2" width="16" height="3.4" rx="1.7" fill="var(--leaf-fill)" />
        <rect x="1" y="7.3" width="16" height="3.4" rx="1.7" fill="var(--leaf-fill)" opacity=".65" />
        <rect x="1" y="12.6" width="9" height="3.4" rx="1.7" fill="var(--leaf-fill)" opacity=".35" />
      </svg>
      flowfarm
    </Link>
  )
}
