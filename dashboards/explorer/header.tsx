import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { ThemeToggle } from '../kit/theme-toggle.tsx'
import { Brand } from './brand.tsx'
import { Link } from '../kit/link.tsx'
import { useAnswer } from './queries.ts'
import { usePlace } from '../kit/router.ts'
import { SearchBox } from './search-box.tsx'

const parts = [
  { to: '/blocks', name: 'Blocks', roots: ['block', 'blocks'] },
  { to: '/transactions', name: 'Transactions', roots: ['transaction', 'transactions', 'scheduled'] },
  { to: '/accounts', name: 'Accounts', roots: ['account', 'accounts'] },
  { to: '/tokens', name: 'Tokens', roots: ['token', 'tokens'] },
  { to: '/nfts', name: 'NFTs', roots: ['nft', 'nfts'] },
  { to: '/contracts', name: 'Contracts', roots: ['contract', 'contracts'] },
  { to: '/evm', name: 'EVM', roots: ['evm'] },
  { to: '/nodes', name: 'Staking', roots: ['node', 'nodes'] },
  { to: '/numbers', name: 'Charts', roots: ['numbers'] },
] as const

/** The way to all parts, and the search over all of them. */
export function Header(): ReactNode {
  const { path } = usePlace()
  // Open at the page where it was opened: it closes when one goes to another.
  const [openAt, setOpenAt] = useState<string>()
  const isOpen = openAt === path
  const root = path.split('/', 2)[1] ?? ''
  return (
    <header className="top">
      <div className="top-inner">
        <Brand />
        <NetworkName />
        <SearchBox />
        <div className="top-end">
          <ThemeToggle />
          <span className="menu-button">
            <Button
              look="plain"
              isIcon
              aria-label="Menu"
              aria-expanded={isOpen}
              aria-controls="parts"
              onClick={() => setOpenAt(isOpen ? undefined : path)}
            >
              <Icon name={isOpen ? 'cross' : 'menu'} />
            </Button>
          </span>
        </div>
      </div>
      <nav id="parts" className={isOpen ? 'parts open' : 'parts'} aria-label="Parts of the explorer">
        <ul>
          {parts.map(({ to, name, roots }) => (
            <li key={to}>
              <Link to={to} aria-current={roots.some((each) => each === root) ? 'page' : undefined}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  )
}

/** Says which network it is where that is not the main one: what is there is worth nothing. */
function NetworkName(): ReactNode {
  const { data: status } = useAnswer('/status')
  const name = status?.chain_id.replace(/^flow-/, '') ?? 'mainnet'
  return name === 'mainnet' ? null : <span className="network">{name}</span>
}
