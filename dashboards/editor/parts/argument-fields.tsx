import type { ReactNode } from 'react'
import type { Parameter } from '../../kit/code-tokens.ts'
import { useStore } from '../project/project-state.ts'
import { computeLimitField, maxComputeLimit } from '../run/runner.ts'
import type { Runner } from '../run/runner.ts'

interface ArgumentFieldsProps {
  readonly runner: Runner
  readonly path: string
  readonly parameters: readonly Parameter[]
}

export function ArgumentFields({ runner, path, parameters }: ArgumentFieldsProps): ReactNode {
  const { problems } = useStore(runner)
  const typed = runner.inputOf(path)
  return parameters.map(({ name, type }) => (
    <label key={name} className="field">
      <span>
        <b>{name}</b> {type}
      </span>
      {type === 'Bool' ? (
        <select
          className="input"
          value={typed.get(name) ?? ''}
          aria-invalid={problems.get(name) !== undefined}
          onChange={(event) => runner.type(path, name, event.target.value)}
        >
          <option value="">Choose</option>
          <option>true</option>
          <option>false</option>
        </select>
      ) : (
        <input
          className="input mono"
          value={typed.get(name) ?? ''}
          placeholder={hintOf(type)}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          inputMode={/^(UInt|Word)\d*$|^UFix(64|128)$/.test(type) ? 'decimal' : 'text'}
          aria-invalid={problems.get(name) !== undefined}
          onChange={(event) => runner.type(path, name, event.target.value)}
        />
      )}
      <Problem text={problems.get(name)} />
    </label>
  ))
}

export function ComputeLimitField({ runner }: { readonly runner: Runner }): ReactNode {
  const { computeLimit, problems } = useStore(runner)
  const problem = problems.get(computeLimitField)
  return (
    <label className="field">
      <span>Computation limit, up to {maxComputeLimit.toLocaleString('en')}</span>
      <input
        className="input mono"
        value={computeLimit}
        inputMode="numeric"
        autoComplete="off"
        maxLength={4}
        aria-invalid={problem !== undefined}
        onChange={(event) => runner.typeComputeLimit(event.target.value)}
      />
      <Problem text={problem} />
    </label>
  )
}

function Problem({ text }: { readonly text: string | undefined }): ReactNode {
  if (text === undefined) return null
  return (
    <span className="field-error" role="alert">
      {text}
    </span>
  )
}

function hintOf(type: string): string {
  if (type === 'Address') return '0x…'
  if (/Fix(64|128)$/.test(type)) return '0.0'
  if (/^(U?Int|Word)/.test(type)) return '0'
  if (type.startsWith('[')) return '[…] in JSON'
  if (type.startsWith('{')) return '{…} in JSON'
  return type.endsWith('?') ? 'empty: nil' : ''
}
