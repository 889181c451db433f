import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { ExactAmount } from '../../kit/amount.tsx'
import { problemText, request } from '../../kit/api.ts'
import { Button, FieldError, Form } from '../../kit/controls.tsx'
import { EmptyState } from '../../kit/state.tsx'
import type { Answers, EvmCallResult, EvmReadFunction } from '../answers.gen.ts'
import { useApi } from '../api.ts'
import { QueryResult } from '../parts/lists.tsx'
import { ValueTree } from '../parts/values.tsx'
import { formatAmount, sanitizeName } from '../text.ts'

/** Functions of a contract that change no state, with a form for each. */
export function ReadContract({ address }: { readonly address: string }): ReactNode {
  const query = useApi('/flow/evm/address/{address}/function', { address })
  return (
    <section className="panel" aria-label="Read contract">
      <QueryResult query={query} what="the functions" rows={6}>
        {({ data: functions }) => {
          const [first] = functions
          if (first === undefined) {
            return (
              <EmptyState title="No known functions">
                Verify the source on the tab Code to read this contract. Tokens can be read without it.
              </EmptyState>
            )
          }
          return (
            <>
              <p className="panel-text soft">
                {first.source === 'verified'
                  ? 'Functions of the verified source that change no state.'
                  : `The source is not verified. These are the functions of ${first.standards.join(' and ')}.`}{' '}
                Calls run on an access node at the newest block and cost nothing.
              </p>
              <ol className="events">
                {functions.map((each, i) => (
                  <li key={each.method_call}>
                    <ReadFunction address={address} function={each} number={i + 1} />
                  </li>
                ))}
              </ol>
            </>
          )
        }}
      </QueryResult>
    </section>
  )
}

interface ReadFunctionProps {
  readonly address: string
  readonly function: EvmReadFunction
  readonly number: number
}

/** Without inputs, functions are called at once, the first ones only. */
const maxCallsAtOnce = 12

const isNested = (type: string): boolean => /[\])]$/.test(type)

/** @throws SyntaxError for an array or tuple that is not JSON */
function argumentOf(type: string, text: string): unknown {
  return isNested(type) ? JSON.parse(text) : type === 'string' ? text : text.trim()
}

function ReadFunction({ address, function: read, number }: ReadFunctionProps): ReactNode {
  const { name, inputs, outputs, method_call: call } = read
  const [texts, setTexts] = useState<readonly string[]>(inputs.map(() => ''))
  const [problem, setProblem] = useState<string>()
  const [values, setValues] = useState<readonly unknown[] | undefined>(
    inputs.length === 0 && number <= maxCallsAtOnce ? [] : undefined,
  )
  const query = useQuery({
    queryKey: ['evm call', address, call, values],
    queryFn: async ({ signal }) => {
      const response = await request(`/flow/evm/address/${encodeURIComponent(address)}/call`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ function: call, arguments: values }),
        signal,
      })
      const { data } = (await response.json()) as Answers['POST /flow/evm/address/{address}/call']
      return data[0]
    },
    enabled: values !== undefined,
  })
  const submit = (): void => {
    try {
      const next = inputs.map(({ type }, i) => argumentOf(type, texts[i] ?? ''))
      setProblem(undefined)
      if (JSON.stringify(next) === JSON.stringify(values)) void query.refetch()
      else setValues(next)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      setProblem('Arrays and tuples must be JSON, such as ["0x…", "1"].')
    }
  }
  const result = query.data !== undefined && !query.isError && <Result result={query.data} />
  return (
    <>
      <h3>
        <span className="soft">{number}</span> {sanitizeName(name)}{' '}
        <span className="soft type">{outputs.map(({ type }) => type).join(', ')}</span>
      </h3>
      {inputs.length === 0 && result}
      <Form className="read-form" aria-label={call} onSubmit={submit}>
        {inputs.map(({ name: input, type }, i) => (
          <label className="field" key={i}>
            <span>
              {input === '' ? `Argument ${i + 1}` : sanitizeName(input)} <code>{type}</code>
            </span>
            <input
              className="input"
              required={type !== 'string' && type !== 'bytes'}
              placeholder={placeholderOf(type)}
              autoComplete="off"
              spellCheck={false}
              value={texts[i]}
              onChange={({ target }) => setTexts((old) => old.map((text, at) => (at === i ? target.value : text)))}
            />
          </label>
        ))}
        <Button type="submit" isSmall disabled={query.isFetching}>
          {query.isFetching ? 'Reading…' : values === undefined || inputs.length > 0 ? 'Read' : 'Read again'}
        </Button>
      </Form>
      {inputs.length > 0 && result}
      <FieldError>{problem ?? (query.isError ? problemText(query.error) : undefined)}</FieldError>
    </>
  )
}

function placeholderOf(type: string): string {
  if (isNested(type)) return '["…", "…"]'
  if (type === 'address') return '0x and 40 hex digits'
  if (type === 'bool') return 'true or false'
  if (/^u?int/.test(type)) return 'Whole number'
  return type.startsWith('bytes') ? '0x and hex digits' : ''
}

function Result({ result: { outputs, state_height: height } }: { readonly result: EvmCallResult }): ReactNode {
  return (
    <dl className="tree" aria-live="polite" title={`At Flow block ${formatAmount(String(height))}`}>
      {outputs.map(({ name, type, value, amount, unit }, i) => (
        <div key={i}>
          <dt>
            {name === '' ? 'Result' : sanitizeName(name)}
            {outputs.length > 1 && <span className="note"> {type}</span>}
          </dt>
          <dd>
            {amount === null ? (
              <ValueTree value={typeof value === 'string' && /^u?int/.test(type) ? formatAmount(value) : value} />
            ) : (
              <>
                <ExactAmount amount={amount} unit={unit === null ? undefined : sanitizeName(unit)} />{' '}
                <span className="note">{value}</span>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
