import { Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { ApplicationMenu } from '../kit/applications.tsx'
import { Brand, Button, Icon } from '../kit/controls.tsx'
import { formatNumber } from '../kit/formats.ts'
import { networkName } from '../kit/network-names.ts'
import { Link, useLocation } from '../kit/router.tsx'
import { ErrorBoundary, Loading } from '../kit/state.tsx'
import { ThemeToggle } from '../kit/theme.tsx'
import { useApi } from './api.ts'
import type { Answers } from './answers.gen.ts'
import { findPage } from './pages.ts'
import { PageTitle } from './parts/page.tsx'
import { SearchBox } from './search-box.tsx'

export function App(): ReactNode {
  const { path } = useLocation()
  const found = findPage(path)
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <Header />
      <main id="content" className="page" tabIndex={-1}>
        <ErrorBoundary
          key={path}
          what="This page"
          hint="The rest of the explorer is not affected. Reload the page: it may have been updated on the server."
        >
          <Suspense fallback={<Loading rows={6} label="Loading page…" />}>
            {found === undefined ? <NotFound /> : <found.Page values={found.values} />}
          </Suspense>
        </ErrorBoundary>
      </main>
      <Footer />
    </>
  )
}

const statusRefetchMs = 15_000

function Footer(): ReactNode {
  const { data: status } = useApi('/status', {}, { refetchMs: statusRefetchMs })
  return (
    <footer className="foot">
      <p>
        <Link to="/indexing">
          {status === undefined ? 'Indexing status' : `${networkName(status.chain_id)}, ${progressOf(status)}`}
        </Link>
      </p>
      <nav aria-label="Developers and operators">
        <ul>
          <li>
            <Link to="/tax-report">Tax report</Link>
          </li>
          <li>
            <Link to="/tables">Own tables</Link>
          </li>
          <li>
            <Link to="/docs">API</Link>
          </li>
          <li>
            <a href="/openapi.json">OpenAPI</a>
          </li>
          <li>
            <a href="/operator">Operator</a>
          </li>
        </ul>
      </nav>
    </footer>
  )
}

function progressOf({ total_blocks: blocks, indexed_height: height, behind }: Answers['/status']): string {
  if (blocks === 0) return 'no blocks indexed yet'
  const lag = behind > 10 ? `, ${formatNumber(behind)} behind the chain` : ''
  return `indexed up to block ${formatNumber(height)}${lag}`
}

function NotFound(): ReactNode {
  return (
    <section className="panel not-found">
      <PageTitle title="Page not found" />
      <p>
        The explorer has no page at <code>{decodePath(location.pathname)}</code>. Check the URL.
      </p>
      <p className="button-row">
        <Link to="/" className="button strong">
          Go to home page
        </Link>
        <Link to="/blocks" className="button">
          Latest blocks
        </Link>
        <Link to="/transactions" className="button">
          Latest transactions
        </Link>
      </p>
      <p className="soft">Or press / and search for a height, ID, address or name.</p>
    </section>
  )
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

const sections = [
  { to: '/blocks', name: 'Blocks', roots: ['block', 'blocks'] },
  {
    to: '/transactions',
    name: 'Transactions',
    roots: ['transaction', 'transactions', 'scheduled', 'transfers', 'events', 'script'],
  },
  { to: '/accounts', name: 'Accounts', roots: ['account', 'accounts'] },
  { to: '/tokens', name: 'Tokens', roots: ['token', 'tokens'] },
  { to: '/nfts', name: 'NFTs', roots: ['nft', 'nfts'] },
  { to: '/contracts', name: 'Contracts', roots: ['contract', 'contracts'] },
  { to: '/pairs', name: 'DeFi', roots: ['pair', 'pairs'] },
  { to: '/evm', name: 'EVM', roots: ['evm'] },
  { to: '/nodes', name: 'Staking', roots: ['node', 'nodes'] },
  { to: '/charts', name: 'Charts', roots: ['charts'] },
] as const

const ownTables = { to: '/tables', name: 'Tables', roots: ['tables'] } as const

function Header(): ReactNode {
  const { path } = useLocation()
  const [openAt, setOpenAt] = useState<string>()
  const isOpen = openAt === path
  const root = path.split('/', 2)[1] ?? ''
  const hasOwnTables = (useApi('/own').data?.data.length ?? 0) > 0
  const shown = hasOwnTables ? [...sections, ownTables] : sections
  return (
    <header className="top">
      <div className="top-inner">
        <Link to="/" aria-label="flowfarm home">
          <Brand />
        </Link>
        <ApplicationMenu current="explorer" />
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
              aria-controls="sections"
              onClick={() => setOpenAt(isOpen ? undefined : path)}
            >
              <Icon name={isOpen ? 'cross' : 'menu'} />
            </Button>
          </span>
        </div>
      </div>
      <nav id="sections" className={isOpen ? 'sections open' : 'sections'} aria-label="Explorer">
        <ul>
          {shown.map(({ to, name, roots }) => (
            <li key={to}>
              <Link to={to} aria-current={roots.some((each: string) => each === root) ? 'page' : undefined}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  )
}

/** Not for mainnet: assets of other networks have no value. */
function NetworkName(): ReactNode {
  const { data: status } = useApi('/status')
  const chain = status?.chain_id ?? 'flow-mainnet'
  return chain === 'flow-mainnet' ? null : <span className="network">{networkName(chain)}</span>
}
