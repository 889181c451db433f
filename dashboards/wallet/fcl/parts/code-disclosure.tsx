import { useState } from 'react'
import type { ReactNode } from 'react'
import { readCadenceTokens } from '../../../kit/cadence-tokens.ts'
import { Icon } from '../../../kit/icon.tsx'
import { Tokens } from '../../../kit/tokens.tsx'
import { visibleText } from '../summary/hidden-characters.ts'

/** Longer code is shown without colours: a window would stand still over it. */
const mostColoured = 100_000

/** The code of a transaction, for those who want to see it; what cannot be seen in it is written out. */
export function CodeDisclosure({
  code,
  values,
}: {
  readonly code: string
  readonly values: readonly string[]
}): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const shown = visibleText(code.replaceAll('\r\n', '\n'))
  return (
    <details className="fcl-code" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon name="chevron" size={14} /> The code, all of it
      </summary>
      {isOpen && (
        <>
          <pre tabIndex={0} aria-label="Cadence">
            <code>{shown.length > mostColoured ? shown : <Tokens tokens={readCadenceTokens(shown)} />}</code>
          </pre>
          {values.length > 0 && (
            <pre tabIndex={0} aria-label="Arguments as they are signed">
              <code>{values.map(visibleText).join('\n')}</code>
            </pre>
          )}
        </>
      )}
    </details>
  )
}
