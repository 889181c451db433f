import type { ReactNode } from 'react'
import { AccountLink, ContractLink, Identity } from './identity.tsx'
import { contractOf } from '../text.ts'

const openTo = 2
const longText = 160

/** Any value of JSON, its parts below it; what is an address or a type of a contract leads there. */
export function ValueTree({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }): ReactNode {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} />
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value)
  if (entries.length === 0) return <span className="soft">{Array.isArray(value) ? 'an empty list' : 'nothing'}</span>
  const list = (
    <dl className="tree">
      {entries.map(([name, each]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <ValueTree value={each} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  )
  if (depth < openTo && entries.length <= 16) return list
  return (
    <details open={depth === 0 && entries.length <= 40}>
      <summary>{entries.length} values</summary>
      {list}
    </details>
  )
}

function Leaf({ value }: { readonly value: unknown }): ReactNode {
  if (value === null || value === undefined) return <span className="soft">none</span>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (/^0x[0-9a-f]{16}$/.test(text) || /^0x[0-9a-f]{40}$/i.test(text)) return <AccountLink address={text} isWhole />
  if (/^A\.[0-9a-f]{16}\.\w+/.test(text)) {
    const contract = contractOf(text)
    return (
      <span className="wrap">
        <ContractLink identifier={contract} />
        <span className="soft">{text.slice(contract.length)}</span>
      </span>
    )
  }
  if (/^(0x)?[0-9a-f]{64,}$/i.test(text)) return <Identity id={text} what="value" hasCopy isWhole={text.length <= 66} />
  if (text.length > longText) {
    return (
      <details>
        <summary className="wrap">{text.slice(0, longText)}…</summary>
        <span className="wrap">{text}</span>
      </details>
    )
  }
  return <span className="wrap value">{text === '' ? <span className="soft">an empty text</span> : text}</span>
}
