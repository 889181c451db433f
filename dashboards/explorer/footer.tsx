import type { ReactNode } from 'react'
import { formatNumber } from '../kit/formats.ts'
import type { Answers } from './gen/answers.ts'
import { useAnswer } from './queries.ts'

const everyMs = 15_000

/** Which chain it is and how far it is indexed, and what there is for programs. */
export function Footer(): ReactNode {
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
