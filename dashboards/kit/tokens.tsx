import type { ReactNode } from 'react'
import type { Token } from './cadence-tokens.ts'

/** Pieces of code in their colours. */
export function Tokens({ tokens }: { readonly tokens: readonly Token[] }): ReactNode {
  return tokens.map(({ kind, text }, i) =>
    kind === 'plain' ? (
      text
    ) : (
      <span key={i} className={`t-${kind}`}>
        {text}
      </span>
    ),
  )
}
