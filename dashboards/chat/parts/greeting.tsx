import type { ReactNode } from 'react'
import { ChatProblem } from '../problem.ts'
import type { ChatSettings } from '../contract.ts'

/** What the page says before anything was asked. */
export function Greeting({
  settings,
  error,
}: {
  readonly settings: ChatSettings | undefined
  readonly error: Error | null
}): ReactNode {
  return (
    <div className="greeting">
      <svg className="greeting-sign" width="44" height="44" viewBox="0 0 18 18" aria-hidden="true">
        <rect x="1" y="2" width="16" height="3.4" rx="1.7" fill="var(--leaf-fill)" />
        <rect x="1" y="7.3" width="16" height="3.4" rx="1.7" fill="var(--leaf-fill)" opacity=".65" />
        <rect x="1" y="12.6" width="9" height="3.4" rx="1.7" fill="var(--leaf-fill)" opacity=".35" />
      </svg>
      <h1>What do you want to know about Flow?</h1>
      <p className="soft">Answers come from the indexed chain, with the SQL that they were made of.</p>
      {error !== null && (
        <p className="banner bad" role="alert">
          {error instanceof ChatProblem ? error.message : 'The chat does not answer.'} This page tries again by itself.
        </p>
      )}
      {settings?.remedy !== null && settings !== undefined && (
        <div className="banner" role="note">
          <p>
            <b>No model is set, so nothing can be asked yet.</b> {settings.remedy}
          </p>
        </div>
      )}
      {settings?.is_scripted === true && (
        <div className="banner" role="note">
          <p>
            <b>This is a script, not a model:</b> it knows the questions below and no others. Its SQL really runs. Set
            LLM_API_KEY for a model that answers anything.
          </p>
        </div>
      )}
    </div>
  )
}

/** Questions to begin with. */
export function Examples({
  examples,
  isDisabled,
  onAsk,
}: {
  readonly examples: readonly string[]
  readonly isDisabled: boolean
  readonly onAsk: (question: string) => void
}): ReactNode {
  if (examples.length === 0) return null
  return (
    <section className="examples" aria-label="Example questions">
      <ul>
        {examples.map((question) => (
          <li key={question}>
            <button type="button" className="example" disabled={isDisabled} onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
