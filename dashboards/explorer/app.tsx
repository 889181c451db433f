import { Component, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { Brand, Button, Icon } from '../kit/controls.tsx'
import { formatNumber } from '../kit/formats.ts'
import { Link, useLocation } from '../kit/router.tsx'
import { ErrorState, Loading } from '../kit/state.tsx'
import { ThemeToggle } from '../kit/theme.tsx'
import { useAnswer } from './api.ts'
import { problemText } from '../kit/api.ts'
import type { Answers } from './answers.gen.ts'
import { findPage } from './pages.ts'
import { PageTitle } from './parts/page.tsx'
import { SearchBox } from './search-box.tsx'

/** The page: what is on top and below of all parts, and in between the part that the address names. */
export function App(): ReactNode {
  const { path } = useLocation()
  const found = findPage(path)
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <Header />
      <main id="content" className="page" tabIndex={-1}>
        <Guard key={path}>
          <Suspense fallback={<Loading rows={6} label="Loading the page" />}>
            {found === undefined ? <NotFound /> : <found.Page values={found.values} />}
          </Suspense>
        </Guard>
      </main>
      <Footer />
    </>
  )
}

/** Keeps what goes wrong in one part from taking all of the page away. */
class Guard extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state = { error: undefined }

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error: error ?? new Error('Nobody knows what.') }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <section className="panel">
        <h1 className="visually-hidden">This part of the page broke</h1>
        <ErrorState
          title="This part of the page broke"
          detail={`${problemText(error)} It may be of an older version than the server: load it again.`}
          onRetry={() => location.reload()}
        />
      </section>
    )
  }
}

const everyMs = 15_000

/** Which chain it is and how far it is indexed, and what there is for programs. */
function Footer(): ReactNode {
  const { data: status } = useAnswer('/status', {}, { everyMs })
  return (
    <footer className="foot">
      <p>{status === undefined ? 'flowfarm explorer' : `${status.chain_id}, ${progressOf(status)}`}</p>
      <nav aria-label="For programs and operators">
        <ul>
          <li>
            <a href="/docs">API</a>
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
  if (blocks === 0) return 'nothing is indexed yet'
  const lag = behind > 10 ? `, ${formatNumber(behind)} behind the chain` : ''
  return `indexed up to block ${formatNumber(height)}${lag}`
}

/** There is no such part of the page. */
function NotFound(): ReactNode {
  return (
    <section className="panel alone-panel">
      <PageTitle title="There is no such page" />
      <p>
        Nothing of the explorer has the address <code>{decodeQuietly(location.pathname)}</code>. A letter may be
        missing, or it was moved.
      </p>
      <p className="button-row">
        <Link to="/" className="button strong">
          To the start
        </Link>
        <Link to="/blocks" className="button">
          Latest blocks
        </Link>
        <Link to="/transactions" className="button">
          Latest transactions
        </Link>
      </p>
      <p className="soft">Or search above for a height, an id, an address or a name: the key / leads there.</p>
    </section>
  )
}

function decodeQuietly(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

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
function Header(): ReactNode {
  const { path } = useLocation()
  // Open at the page where it was opened: it closes when one goes to another.
  const [openAt, setOpenAt] = useState<string>()
  const isOpen = openAt === path
  const root = path.split('/', 2)[1] ?? ''
  return (
    <header className="top">
      <div className="top-inner">
        <Link to="/" aria-label="flowfarm home">
          <Brand />
        </Link>
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
