import type { ReactNode } from 'react'
import { Loading } from '../kit/state.tsx'

/** Keeps the places of the panels until the first overview is there. */
export function FirstLook(): ReactNode {
  return (
    <>
      <section className="panel summary" aria-hidden="true">
        <div className="state" />
      </section>
      <section className="panel">
        <header>
          <h2>Stages</h2>
        </header>
        <Loading rows={6} label="Waiting for the first overview" />
      </section>
    </>
  )
}
