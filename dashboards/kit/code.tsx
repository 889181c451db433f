import { memo } from 'react'
import type { ReactNode } from 'react'
import { CopyButton } from './toast.tsx'
import { readCadenceTokens } from './code-tokens.ts'
import type { Token } from './code-tokens.ts'

export const CodeView = memo(function CodeView({
  code,
  label,
}: {
  readonly code: string
  readonly label: string
}): ReactNode {
  const lines = code.split('\n').length
  return (
    <div className="code">
      <span className="code-copy">
        <CopyButton text={code} what={label} />
      </span>
      <div className="code-scroll" tabIndex={0} role="group" aria-label={label}>
        <pre className="line-numbers" aria-hidden="true">
          {Array.from({ length: lines }, (_, i) => i + 1).join('\n')}
        </pre>
        <pre>
          <code>
            <Tokens tokens={readCadenceTokens(code)} />
          </code>
        </pre>
      </div>
    </div>
  )
})

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
