import type { ReactNode } from 'react'
import type { Target } from './contract.ts'
import { useHealth } from './queries.ts'

const names: Readonly<Record<Target, string>> = { indexer: 'Flow indexer', evm: 'EVM explorer' }

/** Which database is asked, where there are two. */
export function TargetChoice({
  target,
  onChange,
}: {
  readonly target: Target
  readonly onChange: (target: Target) => void
}): ReactNode {
  const { data } = useHealth()
  if (data === undefined || data.targets.length < 2) return null
  return (
    <label className="target">
      <span className="soft">Database</span>
      <select
        className="input"
        value={target}
        onChange={(event) => onChange(event.target.value === 'evm' ? 'evm' : 'indexer')}
      >
        {data.targets.map((each) => (
          <option key={each} value={each}>
            {names[each]}
          </option>
        ))}
      </select>
    </label>
  )
}
