import { Component, Suspense } from 'react'
import type { ReactNode } from 'react'
import { Failure, Loading } from '../kit/state.tsx'
import { problemText } from './api.ts'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { findPage } from './pages.ts'
import { NotFound } from './parts/not-found.tsx'
import { usePlace } from '../kit/router.ts'

/** The page: what is on top and below of all parts, and in between the part that the address names. */
export function App(): ReactNode {
  const { path } = usePlace()
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
        <Failure
          title="This part of the page broke"
          detail={`${problemText(error)} It may be of an older version than the server: load it again.`}
          onRetry={() => location.reload()}
        />
      </section>
    )
  }
}
