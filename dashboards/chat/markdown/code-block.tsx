import { memo } from 'react'
import type { ReactNode } from 'react'
import { readCadenceTokens } from '../../kit/cadence-tokens.ts'
import { CopyButton } from '../../kit/copy-button.tsx'
import { shownText } from '../../kit/cell-text.ts'
import { readSqlTokens } from '../../kit/sql-tokens.ts'
import { Tokens } from '../../kit/tokens.tsx'

/** Longer code is shown without colours. */
const mostColoured = 30_000

const languages = {
  sql: { name: 'SQL', read: readSqlTokens },
  cadence: { name: 'Cadence', read: readCadenceTokens },
} as const
const aliases: Readonly<Record<string, keyof typeof languages>> = {
  sql: 'sql',
  postgresql: 'sql',
  postgres: 'sql',
  pgsql: 'sql',
  psql: 'sql',
  cadence: 'cadence',
  cdc: 'cadence',
}

/** Code with its language, a button to copy it, and colours where the page knows the language. */
export const CodeBlock = memo(function CodeBlock({
  code,
  language,
}: {
  readonly code: string
  readonly language: string
}): ReactNode {
  const key = language.toLowerCase()
  const alias = Object.hasOwn(aliases, key) ? aliases[key] : undefined
  const known = alias === undefined ? undefined : languages[alias]
  const name = known?.name ?? (/^[\w+#.-]{1,20}$/.test(language) ? language : 'Text')
  // Copied is what one sees, hidden signs told: it may be run.
  const shown = shownText(code)
  return (
    <figure className="code-block">
      <figcaption>
        <span>{name}</span>
        <CopyButton text={shown} what={`the ${known?.name ?? 'text'}`} />
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={name}>
        <code>
          {known !== undefined && shown.length <= mostColoured ? <Tokens tokens={known.read(shown)} /> : shown}
        </code>
      </pre>
    </figure>
  )
})
