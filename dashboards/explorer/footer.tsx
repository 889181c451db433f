import type { ReactNode } from 'react'
import { formatNumber } from '../kit/formats.ts'
import { useAnswer } from './queries.ts'

const everyMs = 15_000

/** Which chain it is and how far it is indexed, and what there is for programs. */
export function Footer(): ReactNode {
  const { data: status } = useAnswer('/status', {}, { everyMs })
  return (
    <footer className="foot">
      <p>
        {status === undefined
          ? 'flowfarm explorer'
          : `${status.chain_id}, indexed up to block ${formatNumber(status.indexed_height)}${
              status.behind > 10 ? `, ${formatNumber(status.behind)} behind the chain` : ''
            }`}
      </p>
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
