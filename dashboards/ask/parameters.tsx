import { useId } from 'react'
import type { ReactNode } from 'react'
import type { Parameter } from './draft.ts'

/** As the service finds them, without nested comments. */
const tokens = new RegExp(
  [
    /\b[eE]'(?:[^'\\]|\\[\s\S])*'/,
    /'[^']*'/,
    /"[^"]*"/,
    /--[^\n]*/,
    /\/\*[\s\S]*?\*\//,
    /\$(\w*)\$[\s\S]*?\$\1\$/,
    /\{\{\s*([A-Za-z_]\w{0,39})\s*\}\}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

const maxParameters = 20

/** The statement's parameters, with the values that are known. */
export function parametersOf(sql: string, known: readonly Parameter[]): readonly Parameter[] {
  if (!sql.includes('{{')) return []
  const names = new Set(Array.from(sql.matchAll(tokens), ([, , name]) => name).filter((name) => name !== undefined))
  return [...names]
    .slice(0, maxParameters)
    .map((name) => known.find((parameter) => parameter.name === name) ?? { name, type: guessType(name), value: '' })
}

function guessType(name: string): Parameter['type'] {
  if (/(^|_)(date|day|since|until|from|to)$/i.test(name)) return 'date'
  return /(^|_)(count|days|height|limit|min|max|number|rows|amount)$/i.test(name) ? 'number' : 'text'
}

const types = { text: 'Text', number: 'Number', date: 'Date' } as const

interface ParameterFieldsProps {
  readonly parameters: readonly Parameter[]
  readonly onChange: (parameter: Parameter) => void
  readonly onRun?: () => void
}

export function ParameterFields({ parameters, onChange, onRun }: ParameterFieldsProps): ReactNode {
  const id = useId()
  if (parameters.length === 0) return null
  return (
    <div className="parameters" role="group" aria-label="Parameters">
      {parameters.map((parameter) => {
        const { name, type, value } = parameter
        return (
          <div key={name} className="field">
            <label htmlFor={`${id}-${name}`}>{name}</label>
            <span className="parameter">
              <input
                id={`${id}-${name}`}
                className="input"
                type={type === 'date' ? 'date' : 'text'}
                inputMode={type === 'number' ? 'decimal' : undefined}
                maxLength={1000}
                value={value}
                onChange={(event) => onChange({ ...parameter, value: event.target.value })}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && !event.nativeEvent.isComposing) onRun?.()
                }}
              />
              <select
                className="input"
                aria-label={`Type of ${name}`}
                value={type}
                onChange={(event) => onChange({ name, type: event.target.value as Parameter['type'], value: '' })}
              >
                {Object.entries(types).map(([each, label]) => (
                  <option key={each} value={each}>
                    {label}
                  </option>
                ))}
              </select>
            </span>
          </div>
        )
      })}
    </div>
  )
}
