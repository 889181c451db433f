import type { ReactNode } from 'react'
import { NothingHere } from '../../kit/state.tsx'
import { scriptParameters } from '../../kit/cadence-tokens.ts'
import { plainValue } from '../cadence-value.ts'
import { ValueTree } from './value-tree.tsx'

export interface ArgumentsProps {
  /** As JSON-Cadence. */
  readonly values: readonly unknown[]
  readonly script: string | null
}

/** What a transaction was given, with the names that its script has for it. */
export function Arguments({ values, script }: ArgumentsProps): ReactNode {
  const parameters = script === null ? [] : scriptParameters(script)
  return (
    <section className="panel" aria-label="Arguments">
      {values.length === 0 ? (
        <NothingHere title="No arguments">This transaction was given nothing.</NothingHere>
      ) : (
        <dl className="details">
          {values.map((value, i) => (
            <div key={i}>
              <dt>
                {parameters[i]?.name ?? `Argument ${i + 1}`}
                {parameters[i] !== undefined && <code className="note">{parameters[i].type}</code>}
              </dt>
              <dd>
                <ValueTree value={plainValue(value)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
