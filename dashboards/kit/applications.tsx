import { useEffect, useId, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { applicationNames, applicationUrls } from './application-urls.ts'
import type { ApplicationName } from './application-urls.ts'
import { Button, Icon } from './controls.tsx'

const texts = {
  explorer: ['Explorer', 'Blocks, accounts, tokens and the API'],
  ask: ['Ask', 'Questions and SQL'],
  chat: ['Chat', 'Conversations about the chain'],
  wallet: ['Wallet', 'Accounts with passkeys'],
  editor: ['Editor', 'Write and run Cadence'],
  operator: ['Operator', 'Indexing and its controls'],
} as const satisfies Readonly<Record<ApplicationName, readonly [name: string, description: string]>>

/** The menu of all applications in the header of each. Nothing if no other one runs. */
export function ApplicationMenu({ current }: { readonly current: ApplicationName }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const [urls] = useState(() => applicationUrls())
  const menu = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    const close = (event: Event): void => {
      const isInside = event.target instanceof Node && menu.current?.contains(event.target) === true
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !isInside) setIsOpen(false)
    }
    document.addEventListener('pointerdown', close)
    document.addEventListener('focusin', close)
    document.addEventListener('keydown', close)
    return () => {
      document.removeEventListener('pointerdown', close)
      document.removeEventListener('focusin', close)
      document.removeEventListener('keydown', close)
    }
  }, [isOpen])
  const shown = applicationNames.filter((name) => name === current || urls[name] !== undefined)
  if (shown.length < 2) return null
  return (
    <div ref={menu} className="applications">
      <Button
        look="plain"
        isSmall
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={`Applications: ${texts[current][0]}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className="wide-text">{texts[current][0]}</span>
        <Icon name="apps" />
      </Button>
      <nav id={id} aria-label="Applications" hidden={!isOpen}>
        <ul>
          {shown.map((name) => (
            <li key={name}>
              <a href={urls[name] ?? '/'} aria-current={name === current ? 'page' : undefined}>
                <b>{texts[name][0]}</b>
                <span className="soft">{texts[name][1]}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  )
}
