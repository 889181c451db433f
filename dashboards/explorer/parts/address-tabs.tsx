import { useId } from 'react'
import type { ReactNode } from 'react'
import { Tabs, tabId } from '../../kit/tabs.tsx'
import { useSearchValue } from '../../kit/router.ts'

export interface AddressTab {
  readonly name: string
  readonly label: ReactNode
  readonly render: () => ReactNode
}

/** Tabs whose choice is in the address, so that a link shows the same to somebody else. The first is the usual one. */
export function AddressTabs({
  label,
  tabs,
}: {
  readonly label: string
  readonly tabs: readonly AddressTab[]
}): ReactNode {
  const [chosen, choose] = useSearchValue('tab')
  const panelId = useId()
  const selected = tabs.find(({ name }) => name === chosen) ?? tabs[0]
  if (selected === undefined) return null
  return (
    <>
      <Tabs
        label={label}
        tabs={tabs}
        selected={selected.name}
        panelId={panelId}
        onSelect={(name) => choose(name === tabs[0]?.name ? '' : name)}
      />
      <div id={panelId} role="tabpanel" aria-labelledby={tabId(panelId, selected.name)} className="tab-panel">
        {selected.render()}
      </div>
    </>
  )
}
